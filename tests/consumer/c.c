/* SPDX-License-Identifier: BSD-3-Clause */
/* A program in C: what holds a robot still. */
#include <stdio.h>
#include <zwang.h>

int main(int argc, char** argv) {
  zwang_model* model = NULL;
  zwang_data* data = NULL;
  double q[7] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}, g[7];
  const zwang_input in[] = {{q, 7}};
  const zwang_output out[] = {{g, 7}};
  if (argc != 2 || zwang_abi() != ZWANG_ABI) return 2;
  if (zwang_model_load(argv[1], NULL, &model) != ZWANG_OK || zwang_data_create(model, &data) != ZWANG_OK ||
      zwang_run(data, ZWANG_ALG_GRAVITY_FORCES, in, 1, out, 1, NULL) != ZWANG_OK) {
    fprintf(stderr, "%s\n", zwang_error());
    return 1;
  }
  printf("c: zwang %s, %.6f N m\n", zwang_version(), g[1]);
  zwang_data_free(data);
  zwang_model_free(model);
  return 0;
}
