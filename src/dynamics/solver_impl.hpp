// SPDX-License-Identifier: BSD-3-Clause
// What a Solver owns: the workspace of the sweep, the root solver, the results; and the steps of a solve.
#pragma once
#include "constraint/constraint_state.hpp"
#include "dynamics/instances.hpp"
#include "dynamics/solver_matrices.hpp"
#include "dynamics/solver_tree.hpp"
#include "zwang/constraint/relation.hpp"
#include "zwang/dynamics/solver.hpp"

namespace zwang {

/// Which page settings a method stands for. THE table of methods.
struct Method {
  const char* name;
  const char* published;  ///< in SolveReport
  enum class Rows { as_given, to_root, early, where_met, soft, matrices, on_tree } rows;
  MatrixMethod matrices = MatrixMethod::none;
  TreeMethod tree = TreeMethod::none;
};
const Method& method_of(const std::string& name);  ///< throws with the nearest name

/// A constraint as it was gathered, all but its numbers: as long as it stands so, nothing has to be arranged.
struct GatheredConstraint {
  GatheredConstraint() = default;
  explicit GatheredConstraint(const Constraint& x);
  bool active = false;
  Policy policy = Policy::hard;
  int priority = 0;
  Compensate compensate = {};
  AccelerationKind acceleration = AccelerationKind::classical;
  Role role = Role::physical;
  RowsOnBody::Axes axes = RowsOnBody::Axes::world;
  Index body = 0, axes_body = 0;
  Index rows = 0;
  const Relation* relation = nullptr;
  struct Numbers {
    const double* data = nullptr;
    std::size_t size = 0;
    bool operator==(const Numbers&) const = default;
  } beta, matrix, compliance, weight;
  bool operator==(const GatheredConstraint&) const = default;
};

/// The bodies that a constraint acts on; of rows on one body that one.
inline Index first_body(const Constraint& c) { return c.relation ? c.relation->bodies().front() : c.rows_on_body->body; }
inline std::size_t part_count(const Constraint& c) { return c.relation ? c.relation->bodies().size() : 1; }
inline Index body_of_part(const Constraint& c, Index which) {
  return c.relation ? c.relation->bodies()[static_cast<std::size_t>(which)] : c.rows_on_body->body;
}

/// A constraint on one of its bodies.
struct Part {
  Index body, constraint;
  Index which;  ///< 0: the first of its bodies, where the rows begin
};

struct SolverImpl {
  SolverImpl(const Model& model, const ConstraintSet& set, const SolverSettings& settings);

  // In messages: who asks, and what helps where the set does not fit.
  const char *owner = "Solver", *remedy = "make a new one, or give it spare_rows";

  const std::vector<Constraint>& constraints() const { return set.constraints(); }
  const Constraint& constraint(Index c) const { return set.constraints()[static_cast<std::size_t>(c)]; }

  Index row_count() const { return first_row.back(); }  ///< of all constraints arranged
  std::string_view row_name(Index k) const {            ///< of a row of the sweep
    return constraint(constraint_of[k]).row_names[row_in(k)];
  }

  // The steps of a solve, in this order (solver_steps.cpp). What is wrong with the problem is thrown.
  void check_settings() const;
  void arrange();  ///< the layout of the set's rows; refuses what does not fit
  void gather();   ///< active constraints, sorted by body: looks only at numbers where nothing else has changed
  void gather_anew();
  bool as_gathered();
  bool take_numbers(std::size_t k, bool anew);
  void evaluate_relations();  ///< rows between bodies, for the positions and velocities in `data`
  void choose_place();        ///< where automatic eliminates rows (solver_cost.cpp)
  void take_prescribed(const Prescribed* list, bool same);
  void take_forces(const double* tau, const Externals* external);
  void sweep();  ///< chooses where rows are eliminated, and again where that turns out wrong
  bool run_sweep(bool early, bool stiffened);
  bool may_be_early() const;
  bool fits() const;  ///< rows early and at the root hold, none is dependent

  // The rows that reach the root (solver_root.cpp).
  void at_root();
  std::size_t row_in(Index k) const {  ///< place of a row of the sweep in its constraint
    return static_cast<std::size_t>(row_of[k] - first_row[static_cast<std::size_t>(constraint_of[k])]);
  }
  bool travels(Index k) const { return rows.slot[k] >= 0 && rows.compliance[k] == 0; }  ///< a hard row
  void number_rows();
  bool rank_rows();
  void factor_root();
  void find_uncompensated();
  void solve_rows(const double* b, double* lambda);
  void solve_at_root();  ///< b of this right-hand side, lambda_root
  void resolve();
  void solve_four();  ///< the right-hand sides in `several`
  void leave_out_columns();
  void solve_columns(MatrixIn tau, MatrixIn beta, MatrixOut acceleration, MatrixOut multipliers);
  enum class Operator { inertia, pseudo_inverse, projector };
  void operator_columns(MatrixOut out, Operator which);
  void ask_of_operator(Operator which, Index column, Index lane);
  void collect(const char* function);  ///< residuals at zero joint acceleration of the rows as they are now
  bool has_factor() const { return factored && (data.stages & stage_factor) != 0; }
  bool answers_singular() const {  ///< policies that have no answer where M is singular
    return leaves_out || settings.singularity == Singularity::damping;
  }
  bool answers_exactly() const {  ///< Lambda lambda = b at the root: nothing dependent, damped or stiffened
    return root.rank() == rows.root_rows && !stiffened &&
           (settings.singularity == Singularity::truncation || settings.singularity == Singularity::weighted);
  }
  double row_of_jacobian(Index k, Index column) const;
  void constraint_jacobian(MatrixOut out) const;
  void constraint_target(VectorOut out) const;
  double power(Index constraint) const;
  Force<double> wrench_on_robot(const std::vector<Index>& members, const Vec3<double>& about) const;

  // Methods on the matrices (solver_matrices.cpp): instead of a sweep.
  bool by_matrices() const { return method->rows == Method::Rows::matrices; }
  void solve_by_matrices();
  void take_matrices();
  void attach_alone();
  Index relate_rows();  ///< the first coordinate that has no inertia, or -1
  void answer_as_ranked();
  void find_given_forces();
  void refuse_by_matrices(const char* function) const;

  // Algorithms on the tree (solver_tree.cpp): instead of a sweep.
  void make_room_on_tree();
  void refuse_on_tree() const;
  bool solve_on_tree();
  bool rows_hold();
  bool relate_on_tree(const DependentRows& rows);
  void find_forces_of_motion();

  // What is published (solver_publish.cpp).
  void publish();
  void wrenches();
  void joint_forces(bool physical, bool driver, double* out);
  void prescribed_torques();
  double constraint_energy();
  void report();
  void dependencies();
  void given_up();
  void warn();
  void warn_unactuated();
  bool finite() const;
  void clear_report();
  void refuse(Status status, const char* argument);
  Force<double> joint_wrench(LinkId child) const;
  void joint_wrenches(MatrixOut out);

  Data data;
  Data free_data;     ///< for the energy of motions whose factorisation has taken rows in
  ConstraintSet set;  ///< shares its state with the user's
  SolverSettings settings;
  JointEffects effects = {};  ///< of the last solve: resolve() and the like keep them
  Index capacity, constraint_capacity;
  Index added = 0;       ///< constraints arranged
  unsigned version = 0;  ///< of the set then
  /// Sorted by body: of each first rows that began at a body before, then rows on it alone, then rows that begin there.
  std::vector<Part> parts;
  std::vector<Index> first_row;  ///< of each constraint, in order of insertion; one more at the end
  std::vector<Index> bodies;     ///< the first of each constraint when it was arranged
  std::vector<std::shared_ptr<const Relation>> relations;  ///< and its relation: kept, so that another one is seen
  Buffer<Index> body_blocks;                               ///< [3 (n + 1)] scratch of arrange()
  Index part_capacity = 0, part_row_capacity = 0;
  bool arranged = false;
  bool look_ahead = false;  ///< some rows follow the axes of a body that the sweep enters later

  page::RowStage<double> rows;
  RankRevealing root;
  page::RightHandSide<double> single;
  page::RightHandSide<Columns> several;
  Buffer<Columns> left_out;  ///< [m] what of it the rows do not make up for, per column
  Buffer<Columns> alpha;     ///< [m] row acceleration that gravity, external wrenches, tau, prescriptions cause alone
  std::vector<page::ActiveRows<double>> active;
  std::vector<Index> active_constraint;  ///< behind each of them
  std::vector<Index> active_part;        ///< and which of its bodies
  Buffer<Index> next_part, last_part;    ///< [active] the same constraint on its next body; [constraints]
  bool any_relation = false;
  Buffer<double> phi, phi_rate, gamma;       ///< [rows of the set] errors of relations, and gamma
  Buffer<Force<double>> relation_K;          ///< scratch of evaluate_relations()
  Buffer<double> as_given;                   ///< [6 rows of the set] wrench of a unit multiplier, as users see it
  Buffer<double> row_numbers;                ///< of active rows: as the sweep reads them (ActiveRows::columns)
  Buffer<double> row_copy;                   ///< and as the set had them then, matrix and beta
  std::vector<GatheredConstraint> gathered;  ///< of each constraint arranged
  std::string gathered_method;
  Singularity gathered_singularity = Singularity::truncation;
  bool is_gathered = false;                       ///< `active` and the numbers of rows are those of `gathered`
  bool numbered = false, numbered_early = false;  ///< root_of, attached_of, order are
  bool ranked = false, any_weight = false;        ///< level, weight are
  bool nothing_uncompensated = false;             ///< all entries of uncompensated are 0
  Buffer<page::RowStage<double>::Rows> row_value, row_scale, row_speed;  ///< [groups]
  Buffer<unsigned char> loaded;                                          ///< [n + 1] scratch of joint_forces()
  bool role_used[2] = {false, false};                                    ///< physical, driver: by active rows
  bool all_held = true;                                                  ///< every row within the feasibility
  double largest_relative = 0;
  bool leaves_out = false;  ///< some row does not make up for a driver
  bool weighed = false;     ///< the factor at the root is of weighed rows
  bool many_levels = false, any_early = false, any_soft = false;
  int first_level = -1;                                ///< the highest in use
  bool factored = false;                               ///< the last sweep left a factorisation
  bool stiffened = false;                              ///< M is singular; rows make the problem well posed
  Index massless_column = -1;                          ///< then: the first that moves no inertia
  Buffer<Index> row_of;                                ///< [m] the user's row behind each row of the sweep
  Buffer<Index> sweep_row;                             ///< [rows of the set] and back; -1 inactive
  Buffer<Index> constraint_of;                         ///< [m]
  Buffer<Index> root_of, attached_of;                  ///< [m] row of the sweep -> row at the root (-1 soft), and back
  Buffer<Index> active_row;                            ///< [m] active rows of the sweep in the user's order
  Buffer<Index> order;                                 ///< rows at the root in the user's order
  Buffer<int> level;                                   ///< [root rows]
  Buffer<double> weight, size, b_root, lambda_root;    ///< [root rows]
  Buffer<double> lambda_sweep, uncompensated;          ///< [m]
  Buffer<double> q, v, tau, total;                     ///< of the last solve; total holds the passive joint effects
  Buffer<Force<double>> driver_force, physical_force;  ///< [n + 1]
  Buffer<unsigned char> contradicted;                  ///< [rows of the set] by rows of their own level
  Buffer<unsigned char> seen;                          ///< [nv] scratch of checks
  Buffer<unsigned char> prescribed;                    ///< [nv]
  Buffer<double> prescribed_value;                     ///< [nv]
  bool any_prescribed = false;
  double free_motion = 0;  ///< |q''|_M without the rows at the root
  int iterations = 1;
  bool converged = true;
  const Method* method = nullptr;
  std::unique_ptr<Matrices> matrices;
  std::unique_ptr<TreeWorkspaces> trees;
  Method::Rows place = Method::Rows::to_root;  ///< to_root, where_met or early, as method or estimate say
  bool estimated = false;                      ///< by choose_place()
  bool dependent = false;                      ///< and then turned out dependent: they are kept to the root
  bool by_tree = false;                        ///< the last solve was by an algorithm on the tree

  Buffer<double> acceleration, lambda, motor_torque, reaction, articulated, residual, relative, wrench, torque;
  Buffer<double> position_error, velocity_error;  ///< [rows of the set]
  Solution solution;
};

}  // namespace zwang
