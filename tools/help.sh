# SPDX-License-Identifier: BSD-3-Clause
# Sourced by scripts before anything else: where --help or -h is among their words, it prints the comment at their head, and they end.
# shellcheck shell=bash
case " $* " in
  *" --help "* | *" -h "*)
    sed -n '3,${/^#/!q; s/^# \{0,1\}//p}' "$0"
    exit ;;
esac
