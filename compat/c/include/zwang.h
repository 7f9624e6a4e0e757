/* SPDX-License-Identifier: BSD-3-Clause */
/* zwang in C: what other languages bind to (docs/c.md). C99 and C++.
 *
 *   zwang_model* model = NULL;
 *   zwang_data* data = NULL;
 *   if (zwang_model_load("arm.urdf", NULL, &model) != ZWANG_OK) puts(zwang_error());
 *   zwang_data_create(model, &data);
 *   zwang_input in[] = {{q, 7}, {v, 7}, {a, 7}};
 *   zwang_output out[] = {{tau, 7}};
 *   zwang_run(data, ZWANG_ALG_INVERSE_DYNAMICS, in, 3, out, 1, NULL);
 *
 * Every call that can fail returns a status, ZWANG_OK = 0 where it has done what was asked. For any other one
 * zwang_error() has a sentence that names the argument. No exception leaves a call. What it could not compute is not
 * written.
 *
 * Handles are numbers in the shape of pointers: nobody reads what they point to. One that was freed, or of another
 * kind, is refused (ZWANG_INVALID_HANDLE). A model may be used by any number of threads at once; another object by one
 * thread at a time, and a second one is refused (ZWANG_IN_USE). What an object was made from may be freed before it.
 *
 * Vectors are arrays of double in the order of the model; matrices lie row after row, of N states one state after the
 * other. Units, frames and signs are those of CONVENTIONS.md. Texts are UTF-8 and end with a 0.
 *
 * The calls on a state (zwang_run, zwang_batch_run, zwang_solver_solve, what reads their results) allocate no memory
 * once their object has been made; docs/c.md says where a first call does.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "zwang_lists.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised by a change after which a program must be compiled again. zwang_abi() is that of the library at hand. */
#define ZWANG_ABI 1

typedef struct zwang_model zwang_model;               /* a robot, its constraints and named configurations */
typedef struct zwang_data zwang_data;                 /* workspace of one thread for one state */
typedef struct zwang_batch zwang_batch;               /* workspaces and threads for N states */
typedef struct zwang_constraints zwang_constraints;   /* a set of constraints */
typedef struct zwang_solver zwang_solver;             /* constrained dynamics of one state */
typedef struct zwang_batch_solver zwang_batch_solver; /* constrained dynamics of N states */
typedef struct zwang_simulator zwang_simulator;       /* motion in time */

/* A vector or matrix that a call reads. */
typedef struct zwang_input {
  const double* data;
  size_t size; /* how many numbers */
} zwang_input;
/* A vector or matrix that a call writes. */
typedef struct zwang_output {
  double* data;
  size_t size;
} zwang_output;

/* A wrench from outside on a frame, [force; moment] [N, N m]: six numbers, or six for each of N states. */
typedef struct zwang_wrench {
  int frame;
  int reference; /* ZWANG_REFERENCE_: its axes, and the point of the moment */
  zwang_input wrench;
} zwang_wrench;

/* --- The library ---------------------------------------------------------------------------------------------------*/

/* As in CMake: "0.2.0". */
const char* zwang_version(void);
/* The ZWANG_ABI that the library was compiled with. */
int zwang_abi(void);
/* Which kernels are in use: plain, v3 or v4. */
const char* zwang_instruction_set(void);

/* What the last call of this thread that failed had to say; "" before the first one. */
const char* zwang_error(void);
/* The argument that it named; "" where it is about none. */
const char* zwang_error_argument(void);
/* The word of a status; NULL where it is none. */
const char* zwang_status_word(int status);
/* Whether a solve with this status has results: 1 or 0. Those of others are 0, of a batch NaN. */
int zwang_status_has_result(int status);

/* The lists behind the constants above, for programs that look at run time: how many words a list has (ZWANG_LIST_;
 * 0: no such list), the k-th word, and its number. NULL where there is none. */
int zwang_list_size(int list);
const char* zwang_list_word(int list, int k, int* number);
/* How the constants of a list begin, and a sentence on what they are. "": calls take its words, and the list has no
 * constants. */
int zwang_list_describe(int list, const char** prefix, const char** sentence);

/* --- Models --------------------------------------------------------------------------------------------------------*/

/* How a robot is read and built; zwang_load_options_init gives the defaults. NULL is the default of each text. */
typedef struct zwang_load_options {
  const char* root;                /* automatic, fixed, floating, planar, or a type of joint */
  const char* root_joint;          /* name of the joint that root adds */
  int mode;                        /* ZWANG_MODE_ */
  int close_loops;                 /* 1: further joints of a link close loops; 0: they are refused */
  int lump;                        /* 1: links behind fixed joints are merged into one body */
  int expand_mimic;                /* 1: joints that mimic others have coordinates of their own */
  const double* gravity;           /* three numbers [m/s^2]; NULL: as the file says, else (0, 0, -9.81) */
  const char* srdf;                /* a file beside the robot */
  const char* const* package_dirs; /* where package:// is looked for */
  size_t package_dir_count;
} zwang_load_options;
/* Sets the defaults. */
void zwang_load_options_init(zwang_load_options* options);

/* Reads a robot of any format that the library reads: URDF, SDF, MJCF, a document. options may be NULL. */
int zwang_model_load(const char* path, const zwang_load_options* options, zwang_model** model);
/* The same from a text of `size` bytes: what a program writes as a zwang.model document (docs/serialisation.md) it can
 * build here. */
int zwang_model_load_text(const char* text, size_t size, const zwang_load_options* options, zwang_model** model);
/* Frees; NULL is no error. The same holds for every zwang_..._free. */
int zwang_model_free(zwang_model* model);

typedef struct zwang_model_info {
  int nq, nv; /* numbers of a configuration; of a velocity, an acceleration, torques */
  int bodies, joints, links, frames, loops, configurations;
  double mass;       /* [kg] */
  double gravity[3]; /* [m/s^2] */
} zwang_model_info;
/* The sizes of a model. */
int zwang_model_describe(const zwang_model* model, zwang_model_info* info);

/* Names (ZWANG_NAMES_), which live as long as the model. */
int zwang_model_name(const zwang_model* model, int names, int k, const char** name);
/* The number of a name; where there is none, zwang_error() has the nearest one. */
int zwang_model_find(const zwang_model* model, int names, const char* name, int* k);

typedef struct zwang_joint_info {
  const char* name;
  const char* type;
  int parent, child;   /* links; parent -1: the world */
  int q_first, q_size; /* its coordinates in a configuration; of one that mimics, its leader's */
  int v_first, v_size; /* in a velocity */
  int body;            /* that it carries */
  int lumped;          /* 1: a fixed joint whose child was merged into the parent's body */
  int leader;          /* the joint that it mimics; -1: none */
  double multiplier, offset;
  double axis[3]; /* in the joint's frame */
} zwang_joint_info;
/* A joint by its number. */
int zwang_model_joint(const zwang_model* model, int joint, zwang_joint_info* info);

typedef struct zwang_link_info {
  const char* name;
  int body, parent, joint, frame; /* parent, joint: -1 for the root */
  double mass;                    /* [kg] */
  double centre[3];               /* of mass, in the link [m] */
  double inertia[9];              /* about it, in the link's axes [kg m^2] */
} zwang_link_info;
/* A link by its number. */
int zwang_model_link(const zwang_model* model, int link, zwang_link_info* info);

/* A vector of the model (ZWANG_NUMBERS_): limits, damping ...; nq or nv numbers, as zwang_model_numbers_size says. */
int zwang_model_numbers_size(const zwang_model* model, int numbers, size_t* size);
int zwang_model_numbers(const zwang_model* model, int numbers, double* out, size_t size);
/* A configuration that the file names, with its velocity; v may be NULL. */
int zwang_model_configuration(const zwang_model* model, int k, double* q, size_t q_size, double* v, size_t v_size);
/* A random configuration within the limits; equal for equal seeds. */
int zwang_model_random(const zwang_model* model, uint64_t seed, double* q, size_t size);
/* The whole robot as a zwang.robot document, and what reading it found, a line each. Texts: `out` receives what has
 * room, and a 0; `length` the length of the whole, without it. Both may be absent: NULL, 0; NULL. */
int zwang_model_document(const zwang_model* model, char* out, size_t capacity, size_t* length);
int zwang_model_diagnostics(const zwang_model* model, char* out, size_t capacity, size_t* length);

/* --- The list of algorithms ------------------------------------------------------------------------------------------
 * An algorithm is a number (ZWANG_ALG_), which keeps its meaning in later versions. */

typedef struct zwang_algorithm_info {
  const char* name;
  const char* alias; /* "" */
  const char* doc;   /* what it is and how it is used; in the words of Python */
  int arguments;     /* in their order: zwang_algorithm_argument */
  int vectors;       /* of them vectors of a state, which `in` of zwang_run holds */
  int results;       /* zwang_algorithm_result */
  int lanes;         /* 1: of N states several are computed at once */
} zwang_algorithm_info;
/* A row of the list. */
int zwang_algorithm_describe(int algorithm, zwang_algorithm_info* info);
/* By name or alias. */
int zwang_algorithm_find(const char* name, int* algorithm);

typedef struct zwang_argument_info {
  const char* name;
  int takes;    /* ZWANG_TAKES_: configurations and tangents are vectors of a state, all else is in zwang_options */
  int optional; /* 1: a vector that may be absent, which means zeros */
} zwang_argument_info;
/* The k-th argument of a row. */
int zwang_algorithm_argument(int algorithm, int k, zwang_argument_info* info);

typedef struct zwang_result_info {
  const char* name;
  const char* units; /* "": none, or mixed ones that doc explains */
  int dimensions;    /* 0: one number, 1: a vector, 2: a matrix, 3: matrices */
  int factor[3];     /* extent k: factor[k] ... */
  int per[3];        /* ... for each of these (ZWANG_PER_) */
} zwang_result_info;
/* The k-th result of a row. */
int zwang_algorithm_result(int algorithm, int k, zwang_result_info* info);

/* What zwang_run wants for a model: numbers of the k-th vector, and of the k-th result with its shape, unused
 * extents 1. `frames`: how many frames a call lists. */
int zwang_model_vector_size(const zwang_model* model, int algorithm, int k, size_t* size);
int zwang_model_result_size(const zwang_model* model, int algorithm, int k, int frames, size_t* size, int shape[3]);

/* What a call takes besides vectors; each algorithm reads what its arguments name. zwang_options_init gives the
 * defaults, which NULL stands for, too. */
typedef struct zwang_options {
  int frame;         /* -1: none */
  int seen_from;     /* a second frame */
  const int* frames; /* a list of frames */
  size_t frame_count;
  double point[3]; /* in the world [m] */
  double number;
  int kind;              /* ZWANG_ACCELERATION_ */
  int reference;         /* ZWANG_REFERENCE_ */
  int axes;              /* a frame in whose axes the result is given, instead of the world's; -1: none */
  int effects;           /* sum of ZWANG_EFFECT_ that count; as built: all but friction */
  int with_gravity;      /* 1: acceleration as an accelerometer reads it */
  const double* gravity; /* three numbers instead of the model's; NULL */
  const zwang_wrench* external;
  size_t external_count;
} zwang_options;
/* Sets the defaults. */
void zwang_options_init(zwang_options* options);

/* --- One state -----------------------------------------------------------------------------------------------------*/

/* A workspace of a model; frees it. */
int zwang_data_create(const zwang_model* model, zwang_data** data);
int zwang_data_free(zwang_data* data);
/* Runs an algorithm. `in`: its vectors in their order (data NULL: absent); `out`: its results in their order
 * (data NULL: not wanted). What is written shares no memory with what is read. */
int zwang_run(zwang_data* data, int algorithm, const zwang_input* in, size_t in_count, const zwang_output* out,
              size_t out_count, const zwang_options* options);

/* --- N states ------------------------------------------------------------------------------------------------------*/

/* threads: including the calling one; 0: one for each processor. */
int zwang_batch_create(const zwang_model* model, int threads, zwang_batch** batch);
int zwang_batch_free(zwang_batch* batch);
/* As zwang_run, on `states` states: an input holds the numbers of one state after the other, or those of one state for
 * all of them; an output one state after the other. A state that is refused has NaN, and its status in `status`, an
 * array of `states` numbers or NULL; the call then returns the status of the first such state. */
int zwang_batch_run(zwang_batch* batch, int algorithm, size_t states, const zwang_input* in, size_t in_count,
                    const zwang_output* out, size_t out_count, const zwang_options* options, int* status);

/* --- Constraints ---------------------------------------------------------------------------------------------------*/

/* An empty set; the set of the model's file; the set of a document or of a problem file (CONVENTIONS.md, Problems). */
int zwang_constraints_create(const zwang_model* model, zwang_constraints** constraints);
int zwang_constraints_of_model(const zwang_model* model, zwang_constraints** constraints);
int zwang_constraints_read(const zwang_model* model, const char* text, size_t size, zwang_constraints** constraints);
int zwang_constraints_free(zwang_constraints* constraints);

/* Adds what a text has, {"constraints": [{"name": ..., "type": ...}], "groups": {...}}: any type with any option. All
 * of it or nothing. Solvers that were made from the set follow it. */
int zwang_constraints_add(zwang_constraints* constraints, const char* text, size_t size);
/* The most frequent types by a call; NULL is the default of rows, in, point and normal. All else are options. */
int zwang_constraints_add_frame(zwang_constraints* constraints, const char* name, const char* frame, const char* rows,
                                const char* in);
int zwang_constraints_add_loop(zwang_constraints* constraints, const char* name, const char* frame, const char* other,
                               const char* rows);
int zwang_constraints_add_contact(zwang_constraints* constraints, const char* name, const char* frame,
                                  const double* point, const double* normal, int rows);
/* The loops of the model that were cut open; the limits of its joints. `added`: how many, or NULL. */
int zwang_constraints_add_loops(zwang_constraints* constraints, double time_constant, double damping_ratio, int* added);
int zwang_constraints_add_joint_limits(zwang_constraints* constraints, double time_constant, double damping_ratio,
                                       int* added);
int zwang_constraints_add_group(zwang_constraints* constraints, const char* name, const char* const* members,
                                size_t count);

/* How many constraints and rows there are; each may be NULL. */
int zwang_constraints_count(const zwang_constraints* constraints, int* count, int* rows);
typedef struct zwang_constraint_info {
  const char* name; /* these live until the set changes */
  const char* type;
  int first_row, rows; /* in vectors over the rows of the set */
  int active;
} zwang_constraint_info;
/* The k-th constraint; the number of a name; the name of a row. */
int zwang_constraints_describe(const zwang_constraints* constraints, int k, zwang_constraint_info* info);
int zwang_constraints_find(const zwang_constraints* constraints, const char* name, int* k);
int zwang_constraints_row_name(const zwang_constraints* constraints, int row, char* out, size_t capacity,
                               size_t* length);

/* Switches a constraint, or all of a group. Allocates nothing, as the next one where the count of numbers stays. */
int zwang_constraints_set_active(zwang_constraints* constraints, const char* name, int active);
/* An option of rows by its word (docs/constraints/index.md): beta, compliance, target ...; baumgarte is
 * {time constant, damping ratio}, compensate {gravity, external, tau, prescribed}, a word the number of its place. */
int zwang_constraints_set_numbers(zwang_constraints* constraints, const char* name, const char* option,
                                  const double* numbers, size_t size);
int zwang_constraints_get_numbers(const zwang_constraints* constraints, const char* name, const char* option,
                                  double* out, size_t capacity, size_t* size);
/* An option that is a word: role, policy, sense. */
int zwang_constraints_set_word(zwang_constraints* constraints, const char* name, const char* option, const char* word);
/* The set as a zwang.constraints document, in its present state. */
int zwang_constraints_document(const zwang_constraints* constraints, char* out, size_t capacity, size_t* length);

/* --- Constrained dynamics of one state -----------------------------------------------------------------------------*/

/* spare_rows: room for rows that are added to the set later. */
int zwang_solver_create(const zwang_constraints* constraints, int spare_rows, zwang_solver** solver);
int zwang_solver_free(zwang_solver* solver);

/* Settings by the names of their fields (docs/c.md): "tolerance", "max_iterations" ... are numbers, "joint_effects" is
 * a sum of ZWANG_EFFECT_; "method", "singularity" are words. */
int zwang_solver_set_number(zwang_solver* solver, const char* field, double value);
int zwang_solver_get_number(const zwang_solver* solver, const char* field, double* value);
int zwang_solver_set_word(zwang_solver* solver, const char* field, const char* word);
int zwang_solver_get_word(const zwang_solver* solver, const char* field, char* out, size_t capacity, size_t* length);
/* What motors can give, nv numbers each; size 0: no limits. */
int zwang_solver_limit_motors(zwang_solver* solver, const double* lower, const double* upper, size_t size);

/* A state and what acts there. What is {NULL, 0} is zero; q is needed. */
typedef struct zwang_solve_input {
  zwang_input q, v, tau;
  const zwang_wrench* external;
  size_t external_count;
  const int* prescribed;                 /* coordinates of the velocity whose accelerations are given */
  const double* prescribed_acceleration; /* NULL: zeros */
  size_t prescribed_count;
} zwang_solve_input;

/* Returns the status of the solve: ZWANG_OK, or ZWANG_INFEASIBLE, ZWANG_NOT_CONVERGED with results, too, about which
 * the report has more. */
int zwang_solver_solve(zwang_solver* solver, const zwang_solve_input* input);
/* Other torques, wrenches, prescribed accelerations and options of rows at the state of the last solve; q and v are
 * {NULL, 0}. */
int zwang_solver_resolve(zwang_solver* solver, const zwang_solve_input* input);

/* What a solution has is ZWANG_NOT_READY before the first solve, but for the sizes of its vectors. */
/* A vector of the last solution (ZWANG_SOLUTION_): nv numbers, or one for each row of the set. */
int zwang_solver_vector_size(const zwang_solver* solver, int vector, size_t* size);
int zwang_solver_vector(const zwang_solver* solver, int vector, double* out, size_t size);
/* The same of one constraint (ZWANG_PART_): writes what has room; `size` receives how many there are. */
int zwang_solver_constraint(const zwang_solver* solver, const char* constraint, int vector, double* out,
                            size_t capacity, size_t* size);
/* Power of its multipliers [W]. */
int zwang_solver_power(const zwang_solver* solver, const char* constraint, double* power);
/* Net wrench (six numbers, world axes) and power of a group; about: three numbers, NULL: the world's origin. */
int zwang_solver_group(const zwang_solver* solver, const char* group, const double* about, double* wrench,
                       double* power);
/* Gauss' measure of constraint [J/s^2]. */
int zwang_solver_gauss_constraint(const zwang_solver* solver, double* measure);

/* J of the active rows, rows x nv (out NULL: only `rows`); its right-hand side; the wrenches that the joints transmit,
 * 6 x joints. */
int zwang_solver_jacobian(zwang_solver* solver, double* out, size_t size, int* rows);
int zwang_solver_target(zwang_solver* solver, double* out, size_t size);
int zwang_solver_joint_wrenches(zwang_solver* solver, double* out, size_t size);

/* The report by the names of its fields (docs/report.md): "residual", "rank", "place.early"; of a list the number is
 * its length, and its entries are "redundant[0]", "warnings[2].row", "given_up[0].amount". */
int zwang_solver_report_number(const zwang_solver* solver, const char* field, double* value);
int zwang_solver_report_word(const zwang_solver* solver, const char* field, char* out, size_t capacity, size_t* length);
/* The report in sentences; the whole solution as JSON, of the set that the solver was made from. */
int zwang_solver_explain(const zwang_solver* solver, char* out, size_t capacity, size_t* length);
int zwang_solver_document(const zwang_solver* solver, const zwang_constraints* constraints, char* out, size_t capacity,
                          size_t* length);

/* --- Constrained dynamics of N states ------------------------------------------------------------------------------*/

typedef struct zwang_solve_output { /* {NULL, 0}: not wanted */
  zwang_output acceleration, multipliers, motor_torque, reaction;
} zwang_solve_output;

/* A workspace of a set for N states, on threads as zwang_batch_create has them; settings as those of a solver. */
int zwang_batch_solver_create(const zwang_constraints* constraints, int threads, zwang_batch_solver** solver);
int zwang_batch_solver_free(zwang_batch_solver* solver);
int zwang_batch_solver_set_number(zwang_batch_solver* solver, const char* field, double value);
int zwang_batch_solver_set_word(zwang_batch_solver* solver, const char* field, const char* word);
/* Inputs and outputs as those of zwang_batch_run; prescribed accelerations are the same for all states. */
int zwang_batch_solver_solve(zwang_batch_solver* solver, size_t states, const zwang_solve_input* input,
                             const zwang_solve_output* output, int* status);

/* --- Motion in time ------------------------------------------------------------------------------------------------*/

/* Of the set as it is now. Settings by the names of their fields (docs/simulation.md): "dt", "time", "integrator",
 * "keep", "solver.tolerance" ...; they are read at the start. */
int zwang_simulator_create(const zwang_constraints* constraints, zwang_simulator** simulator);
int zwang_simulator_free(zwang_simulator* simulator);
int zwang_simulator_set_number(zwang_simulator* simulator, const char* field, double value);
int zwang_simulator_set_word(zwang_simulator* simulator, const char* field, const char* word);
/* The first state of a motion; torques and wrenches act all along, until they are replaced. It allocates. Where it is
 * refused, a motion that was there goes on. */
int zwang_simulator_start(zwang_simulator* simulator, const zwang_solve_input* input);
/* Torques (size 0: none) and wrenches of the next steps. They count in all of the next one; the acceleration and the
 * multipliers of the present state stay those with which it was reached. After the first call of a motion, a call
 * with the torques and wrenches that act at that time changes nothing and costs no solve. */
int zwang_simulator_set_forces(zwang_simulator* simulator, const double* tau, size_t size, const zwang_wrench* external,
                               size_t external_count);
/* A step. `more`: 0 where the motion was at its end already. */
int zwang_simulator_step(zwang_simulator* simulator, int* more);

/* A vector of the present state (ZWANG_STATE_). */
int zwang_simulator_vector_size(const zwang_simulator* simulator, int vector, size_t* size);
int zwang_simulator_vector(const zwang_simulator* simulator, int vector, double* out, size_t size);
typedef struct zwang_simulator_info {
  int status;                   /* of the motion */
  double time;                  /* [s] */
  double energy;                /* [J] */
  double error, velocity_error; /* of the rows [m, rad; m/s, rad/s] */
  int64_t steps;
} zwang_simulator_info;
/* Time, energy, errors of the rows, and the status of the motion. */
int zwang_simulator_describe(const zwang_simulator* simulator, zwang_simulator_info* info);
/* Why a motion ended where its status is not ZWANG_OK. */
int zwang_simulator_reason(const zwang_simulator* simulator, char* out, size_t capacity, size_t* length);

#ifdef __cplusplus
}
#endif
