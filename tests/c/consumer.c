/* SPDX-License-Identifier: BSD-3-Clause */
/* A binding as another language has it: plain C99 that loads the library while it runs, knows no algorithm by name, and
 * walks the list. Prints every number with all of its bits, for c_test.cpp, which computes the same in C++.
 *
 *   consumer libzwang_c.so robot.urdf floating|fixed problem.json
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zwang.h>

/* Every function that is used: its type from the header, its address from the library. */
#define FUNCTIONS(X)                                                                                                 \
  X(zwang_abi)                                                                                                       \
  X(zwang_version) X(zwang_error) X(zwang_status_word) X(zwang_list_size) X(zwang_list_word)                         \
      X(zwang_load_options_init) X(zwang_model_load) X(zwang_model_free) X(zwang_model_describe) X(zwang_model_name) \
          X(zwang_model_random) X(zwang_algorithm_describe) X(zwang_algorithm_argument) X(zwang_algorithm_result)    \
              X(zwang_model_vector_size) X(zwang_model_result_size) X(zwang_options_init) X(zwang_data_create)       \
                  X(zwang_data_free) X(zwang_run) X(zwang_batch_create) X(zwang_batch_free) X(zwang_batch_run)       \
                      X(zwang_constraints_read) X(zwang_constraints_free) X(zwang_constraints_count)                 \
                          X(zwang_constraints_add_frame) X(zwang_solver_create) X(zwang_solver_free)                 \
                              X(zwang_solver_set_word) X(zwang_solver_solve) X(zwang_solver_vector_size)             \
                                  X(zwang_solver_vector) X(zwang_solver_report_number) X(zwang_solver_explain)       \
                                      X(zwang_batch_solver_create) X(zwang_batch_solver_free)                        \
                                          X(zwang_batch_solver_solve) X(zwang_simulator_create)                      \
                                              X(zwang_simulator_free) X(zwang_simulator_set_number)                  \
                                                  X(zwang_simulator_set_word) X(zwang_simulator_start)               \
                                                      X(zwang_simulator_step) X(zwang_simulator_vector)

enum { STATES = 7, MOST_VECTORS = 16, MOST_RESULTS = 16 };

/* The types of the functions are those of the header. */
typedef const char* text_function(void);
static int (*p_zwang_abi)(void);
static text_function* p_zwang_version;
static text_function* p_zwang_error;
static const char* (*p_zwang_status_word)(int);
static int (*p_zwang_list_size)(int);
static const char* (*p_zwang_list_word)(int, int, int*);
static void (*p_zwang_load_options_init)(zwang_load_options*);
static int (*p_zwang_model_load)(const char*, const zwang_load_options*, zwang_model**);
static int (*p_zwang_model_free)(zwang_model*);
static int (*p_zwang_model_describe)(const zwang_model*, zwang_model_info*);
static int (*p_zwang_model_name)(const zwang_model*, int, int, const char**);
static int (*p_zwang_model_random)(const zwang_model*, uint64_t, double*, size_t);
static int (*p_zwang_algorithm_describe)(int, zwang_algorithm_info*);
static int (*p_zwang_algorithm_argument)(int, int, zwang_argument_info*);
static int (*p_zwang_algorithm_result)(int, int, zwang_result_info*);
static int (*p_zwang_model_vector_size)(const zwang_model*, int, int, size_t*);
static int (*p_zwang_model_result_size)(const zwang_model*, int, int, int, size_t*, int*);
static void (*p_zwang_options_init)(zwang_options*);
static int (*p_zwang_data_create)(const zwang_model*, zwang_data**);
static int (*p_zwang_data_free)(zwang_data*);
static int (*p_zwang_run)(zwang_data*, int, const zwang_input*, size_t, const zwang_output*, size_t,
                          const zwang_options*);
static int (*p_zwang_batch_create)(const zwang_model*, int, zwang_batch**);
static int (*p_zwang_batch_free)(zwang_batch*);
static int (*p_zwang_batch_run)(zwang_batch*, int, size_t, const zwang_input*, size_t, const zwang_output*, size_t,
                                const zwang_options*, int*);
static int (*p_zwang_constraints_read)(const zwang_model*, const char*, size_t, zwang_constraints**);
static int (*p_zwang_constraints_free)(zwang_constraints*);
static int (*p_zwang_constraints_count)(const zwang_constraints*, int*, int*);
static int (*p_zwang_constraints_add_frame)(zwang_constraints*, const char*, const char*, const char*, const char*);
static int (*p_zwang_solver_create)(const zwang_constraints*, int, zwang_solver**);
static int (*p_zwang_solver_free)(zwang_solver*);
static int (*p_zwang_solver_set_word)(zwang_solver*, const char*, const char*);
static int (*p_zwang_solver_solve)(zwang_solver*, const zwang_solve_input*);
static int (*p_zwang_solver_vector_size)(const zwang_solver*, int, size_t*);
static int (*p_zwang_solver_vector)(const zwang_solver*, int, double*, size_t);
static int (*p_zwang_solver_report_number)(const zwang_solver*, const char*, double*);
static int (*p_zwang_solver_explain)(const zwang_solver*, char*, size_t, size_t*);
static int (*p_zwang_batch_solver_create)(const zwang_constraints*, int, zwang_batch_solver**);
static int (*p_zwang_batch_solver_free)(zwang_batch_solver*);
static int (*p_zwang_batch_solver_solve)(zwang_batch_solver*, size_t, const zwang_solve_input*,
                                         const zwang_solve_output*, int*);
static int (*p_zwang_simulator_create)(const zwang_constraints*, zwang_simulator**);
static int (*p_zwang_simulator_free)(zwang_simulator*);
static int (*p_zwang_simulator_set_number)(zwang_simulator*, const char*, double);
static int (*p_zwang_simulator_set_word)(zwang_simulator*, const char*, const char*);
static int (*p_zwang_simulator_start)(zwang_simulator*, const zwang_solve_input*);
static int (*p_zwang_simulator_step)(zwang_simulator*, int*);
static int (*p_zwang_simulator_vector)(const zwang_simulator*, int, double*, size_t);

static void must(int status, const char* what) {
  if (status == ZWANG_OK) return;
  fprintf(stderr, "%s: %s: %s\n", what, p_zwang_status_word(status), p_zwang_error());
  exit(1);
}

static void* memory(size_t count, size_t size) {
  void* const p = calloc(count + 1, size);
  if (p == NULL) exit(3);
  return p;
}

static void load(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
#define LOAD(name)                               \
  *(void**)(&p_##name) = dlsym(library, #name);  \
  if (p_##name == NULL) {                        \
    fprintf(stderr, "%s: no %s\n", path, #name); \
    exit(1);                                     \
  }
  FUNCTIONS(LOAD)
}

static char* text_of(const char* path) {
  FILE* const file = fopen(path, "rb");
  char* text;
  long size;
  if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0) exit(3);
  rewind(file);
  text = memory((size_t)size, 1);
  if (fread(text, 1, (size_t)size, file) != (size_t)size) exit(3);
  fclose(file);
  return text;
}

static void print(const char* what, const char* name, const double* x, size_t n) {
  size_t i;
  printf("%s %s", what, name);
  for (i = 0; i < n; ++i) {
    uint64_t bits;
    memcpy(&bits, x + i, sizeof bits);
    printf(" %016llx", (unsigned long long)(isnan(x[i]) ? 0x7ff8000000000000ull : bits));
  }
  printf("\n");
}

/* Numbers that every language makes alike. */
static void tangent(int seed, double* x, size_t n) {
  size_t i;
  for (i = 0; i < n; ++i) x[i] = (double)(2 * (int)((i * 37 + (size_t)seed * 11) % 19) - 19) / 16.0;
}

static void walk(const zwang_model* model, const zwang_model_info* robot) {
  int number = 0, algorithm;
  const int algorithms = p_zwang_list_size(ZWANG_LIST_ALGORITHM);
  const int frames[2] = {0, robot->frames - 1};
  const double six[6] = {1, -2, 3, 0.5, -0.25, 0.125};
  const double gravity[3] = {0.5, -1, -9};
  zwang_wrench push;
  zwang_data* data = NULL;
  zwang_batch* batch = NULL;
  must(p_zwang_data_create(model, &data), "data");
  must(p_zwang_batch_create(model, 2, &batch), "batch");
  push.frame = robot->frames - 1;
  push.reference = ZWANG_REFERENCE_WORLD;
  push.wrench.data = six;
  push.wrench.size = 6;
  for (algorithm = 0; algorithm < algorithms; ++algorithm) {
    zwang_algorithm_info info;
    zwang_input in[MOST_VECTORS], all[MOST_VECTORS];
    zwang_output out[MOST_RESULTS], outs[MOST_RESULTS];
    zwang_options options;
    int k, vector = 0, status[STATES], variant;
    if (p_zwang_list_word(ZWANG_LIST_ALGORITHM, algorithm, &number) == NULL || number != algorithm) exit(4);
    must(p_zwang_algorithm_describe(algorithm, &info), "describe");
    for (k = 0; k < info.arguments; ++k) {
      zwang_argument_info a;
      must(p_zwang_algorithm_argument(algorithm, k, &a), "argument");
      if (a.takes == ZWANG_TAKES_CONFIGURATION || a.takes == ZWANG_TAKES_TANGENT) {
        size_t size;
        int s;
        double* x;
        must(p_zwang_model_vector_size(model, algorithm, vector, &size), "vector size");
        x = memory(size * STATES, sizeof(double));
        for (s = 0; s < STATES; ++s) {
          if (a.takes == ZWANG_TAKES_CONFIGURATION)
            must(p_zwang_model_random(model, (uint64_t)(10 * vector + s), x + size * (size_t)s, size), "random");
          else
            tangent(10 * vector + s, x + size * (size_t)s, size);
        }
        in[vector].data = all[vector].data = x;
        in[vector].size = size;
        all[vector].size = size * STATES;
        ++vector;
      }
    }
    for (k = 0; k < info.results; ++k) {
      size_t size;
      zwang_result_info r;
      must(p_zwang_algorithm_result(algorithm, k, &r), "result");
      must(p_zwang_model_result_size(model, algorithm, k, 2, &size, NULL), "result size");
      out[k].data = memory(size, sizeof(double));
      out[k].size = size;
      outs[k].data = memory(size * STATES, sizeof(double));
      outs[k].size = size * STATES;
    }
    /* variants: the three references, then axes of a frame with own gravity, a wrench and friction */
    for (variant = 0; variant < 4; ++variant) {
      char name[100];
      p_zwang_options_init(&options);
      options.frame = robot->frames - 1;
      options.seen_from = robot->frames / 2;
      options.frames = frames;
      options.frame_count = 2;
      options.number = 0.25;
      options.point[0] = 0.1;
      options.point[2] = -0.2;
      options.kind = variant % 2;
      options.with_gravity = variant % 2;
      options.reference = variant < 3 ? variant : ZWANG_REFERENCE_LOCAL_WORLD_ALIGNED;
      if (variant == 1) options.effects = ZWANG_EFFECT_FRICTION;
      if (variant >= 2) {
        options.external = &push;
        options.external_count = 1;
      }
      if (variant == 3) {
        options.axes = robot->frames / 2;
        options.gravity = gravity;
      }
      sprintf(name, "%s/%d", info.name, variant);
      must(p_zwang_run(data, algorithm, in, (size_t)info.vectors, out, (size_t)info.results, &options), info.name);
      for (k = 0; k < info.results; ++k) print("one", name, out[k].data, out[k].size);
      must(p_zwang_batch_run(batch, algorithm, STATES, all, (size_t)info.vectors, outs, (size_t)info.results, &options,
                             status),
           info.name);
      for (k = 0; k < info.results; ++k) print("all", name, outs[k].data, outs[k].size);
    }
    for (k = 0; k < info.vectors; ++k) free((void*)in[k].data);
    for (k = 0; k < info.results; ++k) {
      free(out[k].data);
      free(outs[k].data);
    }
  }
  must(p_zwang_batch_free(batch), "free");
  must(p_zwang_data_free(data), "free");
}

static void solve(const zwang_model* model, const zwang_model_info* robot, const char* problem) {
  zwang_constraints* set = NULL;
  zwang_solver* solver = NULL;
  zwang_batch_solver* batch = NULL;
  zwang_simulator* motion = NULL;
  const size_t nq = (size_t)robot->nq, nv = (size_t)robot->nv;
  double* const q = memory(nq * STATES, sizeof(double));
  double* const v = memory(nv * STATES, sizeof(double));
  double* const out = memory((nq + nv + 200) * STATES, sizeof(double));
  int count, rows, k, status[STATES], more = 1;
  const char* frame;
  double residual;
  char text[4000];
  zwang_solve_input input;
  zwang_solve_output output;
  for (k = 0; k < STATES; ++k) {
    must(p_zwang_model_random(model, (uint64_t)k, q + nq * (size_t)k, nq), "random");
    tangent(k, v + nv * (size_t)k, nv);
  }
  must(p_zwang_constraints_read(model, problem, strlen(problem), &set), "constraints");
  must(p_zwang_model_name(model, ZWANG_NAMES_LINK, robot->links - 1, &frame), "name");
  must(p_zwang_constraints_add_frame(set, "last", frame, "angular.x", NULL), "add");
  must(p_zwang_constraints_count(set, &count, &rows), "count");
  memset(&input, 0, sizeof input);
  input.q.data = q;
  input.q.size = nq;
  input.v.data = v;
  input.v.size = nv;
  must(p_zwang_solver_create(set, 0, &solver), "solver");
  must(p_zwang_solver_solve(solver, &input), "solve");
  for (k = 0; k < p_zwang_list_size(ZWANG_LIST_SOLUTION); ++k) {
    size_t size;
    must(p_zwang_solver_vector_size(solver, k, &size), "size");
    must(p_zwang_solver_vector(solver, k, out, size), "vector");
    print("solution", p_zwang_list_word(ZWANG_LIST_SOLUTION, k, NULL), out, size);
  }
  must(p_zwang_solver_report_number(solver, "residual", &residual), "report");
  print("report", "residual", &residual, 1);
  must(p_zwang_solver_explain(solver, text, sizeof text, NULL), "explain");
  printf("%s\n", text);
  must(p_zwang_solver_set_word(solver, "method", "dense_cod"), "method");
  must(p_zwang_solver_solve(solver, &input), "solve");
  must(p_zwang_solver_vector(solver, ZWANG_SOLUTION_MULTIPLIERS, out, (size_t)rows), "vector");
  print("solution", "dense", out, (size_t)rows);

  must(p_zwang_batch_solver_create(set, 2, &batch), "batch");
  input.q.size = nq * STATES;
  input.v.size = nv * STATES;
  memset(&output, 0, sizeof output);
  output.acceleration.data = out;
  output.acceleration.size = nv * STATES;
  must(p_zwang_batch_solver_solve(batch, STATES, &input, &output, status), "solve");
  print("solutions", "acceleration", out, nv * STATES);

  must(p_zwang_simulator_create(set, &motion), "simulator");
  must(p_zwang_simulator_set_number(motion, "dt", 0.001), "dt");
  must(p_zwang_simulator_set_number(motion, "time", 0.005), "time");
  must(p_zwang_simulator_set_word(motion, "integrator", "semi_implicit"), "integrator");
  must(p_zwang_simulator_set_word(motion, "keep", "stabilisation"), "keep");
  input.q.size = nq;
  input.v.size = nv;
  must(p_zwang_simulator_start(motion, &input), "start");
  while (more != 0) {
    int result = p_zwang_simulator_step(motion, &more);
    if (result != ZWANG_OK && result != ZWANG_DRIFTED) must(result, "step");
    must(p_zwang_simulator_vector(motion, ZWANG_STATE_Q, out, nq), "q");
    print("motion", "q", out, nq);
  }
  must(p_zwang_simulator_free(motion), "free");
  must(p_zwang_batch_solver_free(batch), "free");
  must(p_zwang_solver_free(solver), "free");
  must(p_zwang_constraints_free(set), "free");
  free(q);
  free(v);
  free(out);
}

int main(int argc, char** argv) {
  zwang_model* model = NULL;
  zwang_model_info robot;
  zwang_load_options options;
  char* problem;
  if (argc != 5) return 2;
  load(argv[1]);
  if (p_zwang_abi() != ZWANG_ABI || p_zwang_version()[0] == 0) return 2;
  p_zwang_load_options_init(&options);
  options.root = argv[3];
  must(p_zwang_model_load(argv[2], &options, &model), argv[2]);
  must(p_zwang_model_describe(model, &robot), "describe");
  walk(model, &robot);
  problem = text_of(argv[4]);
  solve(model, &robot, problem);
  free(problem);
  must(p_zwang_model_free(model), "free");
  return 0;
}
