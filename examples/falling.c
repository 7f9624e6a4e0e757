/* SPDX-License-Identifier: BSD-3-Clause */
/* In C: a quadruped whose motors are off falls with three feet on the ground. How fast, what the feet carry, and what
 * the report says; then the same of a thousand postures at once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <zwang.h>

#ifndef ZWANG_MODELS
#define ZWANG_MODELS "models"
#endif

enum { STATES = 1000, MOST = 64 };

static void must(int status) {
  if (status == ZWANG_OK) return;
  fprintf(stderr, "%s (%s)\n", zwang_error(), zwang_status_word(status));
  exit(1);
}

int main(void) {
  zwang_model* robot = NULL;
  zwang_constraints* set = NULL;
  zwang_solver* solver = NULL;
  zwang_batch_solver* batch = NULL;
  zwang_load_options options;
  zwang_model_info info;
  const char* feet[] = {"LF_foot", "RF_foot", "LH_foot"};
  const double down[6] = {0, 0, -50, 0, 0, 0};
  double q[MOST], acceleration[MOST], wrench[6], largest = 0, *many, *accelerations;
  char report[2000];
  int trunk, k, solved = 0, status[STATES];

  zwang_load_options_init(&options);
  options.root = "floating";
  must(zwang_model_load(ZWANG_MODELS "/quadruped.urdf", &options, &robot));
  must(zwang_model_describe(robot, &info));
  if (info.nq > MOST) return 1;
  must(zwang_model_numbers(robot, ZWANG_NUMBERS_NEUTRAL, q, (size_t)info.nq));
  must(zwang_model_find(robot, ZWANG_NAMES_FRAME, "trunk", &trunk));

  must(zwang_constraints_create(robot, &set));
  for (k = 0; k < 3; ++k) must(zwang_constraints_add_contact(set, feet[k], feet[k], NULL, NULL, 3));
  must(zwang_constraints_add_group(set, "feet", feet, 3));

  must(zwang_solver_create(set, 0, &solver));
  {
    const zwang_wrench push = {trunk, ZWANG_REFERENCE_LOCAL_WORLD_ALIGNED, {down, 6}};
    zwang_solve_input input = {{NULL, 0}, {NULL, 0}, {NULL, 0}, NULL, 0, NULL, NULL, 0};
    zwang_solve_output output = {{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
    input.q.data = q;
    input.q.size = (size_t)info.nq;
    input.external = &push;
    input.external_count = 1;
    must(zwang_solver_solve(solver, &input));
    must(zwang_solver_vector(solver, ZWANG_SOLUTION_ACCELERATION, acceleration, (size_t)info.nv));
    must(zwang_solver_group(solver, "feet", NULL, wrench, NULL));
    must(zwang_solver_explain(solver, report, sizeof report, NULL));
    printf("the feet carry %.1f N; the trunk falls with %.2f m/s^2\n%s\n", wrench[2], -acceleration[2], report);

    /* The same of many states: one after the other in memory. */
    many = malloc(STATES * (size_t)info.nq * sizeof(double));
    accelerations = malloc(STATES * (size_t)info.nv * sizeof(double));
    if (many == NULL || accelerations == NULL) return 1;
    for (k = 0; k < STATES; ++k) must(zwang_model_random(robot, (uint64_t)k, many + k * info.nq, (size_t)info.nq));
    must(zwang_batch_solver_create(set, 0, &batch));
    input.q.data = many;
    input.q.size = STATES * (size_t)info.nq;
    output.acceleration.data = accelerations;
    output.acceleration.size = STATES * (size_t)info.nv;
    k = zwang_batch_solver_solve(batch, STATES, &input, &output, status);
    if (!zwang_status_has_result(k)) must(k);
    for (k = 0; k < STATES; ++k) {
      solved += status[k] == ZWANG_OK;
      const double* const first = accelerations + k * info.nv; /* of the trunk, linear in its own axes */
      const double squared = first[0] * first[0] + first[1] * first[1] + first[2] * first[2];
      if (squared > largest) largest = squared;
    }
    printf("%d of %d postures solved; in the fastest the trunk accelerates by %.1f m/s^2\n", solved, STATES,
           sqrt(largest));
  }
  free(many);
  free(accelerations);
  zwang_batch_solver_free(batch);
  zwang_solver_free(solver);
  zwang_constraints_free(set);
  zwang_model_free(robot);
  return 0;
}
