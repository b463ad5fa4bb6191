// Losses of the heads and the gradients of outputs, as `train::objective` has them: a block for each board.

// Sums over the threads of a block, a power of two, in a fixed order; `room` has a place for each.
template <typename T> __device__ inline T block_sum(T x, T *room) {
    __syncthreads();
    room[threadIdx.x] = x;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            room[threadIdx.x] += room[threadIdx.x + half];
        __syncthreads();
    }
    return room[0];
}

__device__ inline float block_maximum(float x, float *room) {
    __syncthreads();
    room[threadIdx.x] = x;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            room[threadIdx.x] = fmaxf(room[threadIdx.x], room[threadIdx.x + half]);
        __syncthreads();
    }
    return room[0];
}

// In the order of `Head::ALL`.
enum Loss {
    OF_POLICY,
    OF_SOFT_POLICY,
    OF_OPPONENT,
    OF_HUMAN,
    OF_OUTCOME,
    OF_SIBLINGS,
    OF_LEAD,
    OF_SCORE_MEAN,
    OF_SCORE_STDEV,
    OF_VARIANCE_TIME,
    OF_VALUE_ERROR,
    OF_SCORE_ERROR,
    OF_OWNERSHIP,
    LOSSES
};
// Of a board: losses times weights, weights without signs, whether prediction and target agree on the best move, and
// 1 for a sample.
const int LOSS_ROW = 2 * LOSSES + 2;
const float NO_LOGIT = -INFINITY;

// Targets of a board besides those of points and moves.
struct SampleTargets {
    float outcome[3]; // win, loss, no result
    float score_mean, score_stdev, lead, variance_time, value_error, score_error;
    // Weights, as `SampleWeights`; all are 0 for a board without a sample.
    float policy, soft_policy, opponent, human, of_outcome, score, stdev, shortterm, ownership;
    int human_move; // or -1
    int is_expectation;
    int first_sibling, siblings; // the boards of the sibling group
    int is_sample;
};

struct ObjectiveNumbers {
    float weights[LOSSES];
    // Multipliers of the network's score outputs.
    float score_mean, score_stdev, lead, variance_time, value_error, score_error;
    float deltas[6]; // where the losses of score outputs become linear
    float scale;     // of all gradients
    float error_told;
    int halves_errors; // formula of the short-term errors
};

// Outputs of the heads or their gradients: policies of points `[board][policy][point]` and of the pass
// `[board][policy]`, those of the file and auxiliary ones, values `[board][value]`, ownership `[board][point]`.
struct HeadValues {
    float *points, *extra_points, *passes, *extra_passes, *value, *score, *ownership;
};

struct LossArguments {
    HeadValues outputs, gradients;
    const SampleTargets *samples;
    const float *policy, *opponent, *ownership; // `[board][move]`, `[board][point]`
    const unsigned char *legal;              // `[board][move]`
    const ObjectiveNumbers *objective;
    float *losses; // `[board][LOSS_ROW]`
    int area, policies, extra_policies, values, scores, reserved;
};

// A policy of a board, with its gradient.
struct PolicyOfBoard {
    const float *points, *pass;
    float *of_points, *of_pass;
    int area;
};

__device__ inline PolicyOfBoard policy_of(const LossArguments &a, int board, int policy, bool is_extra) {
    int policies = is_extra ? a.extra_policies : a.policies, row = board * policies + policy;
    const HeadValues &from = a.outputs, &to = a.gradients;
    return {(is_extra ? from.extra_points : from.points) + (size_t)row * a.area,
            (is_extra ? from.extra_passes : from.passes) + row,
            (is_extra ? to.extra_points : to.points) + (size_t)row * a.area,
            (is_extra ? to.extra_passes : to.passes) + row, a.area};
}

__device__ inline float logit_of(const PolicyOfBoard &policy, int move) {
    return move < policy.area ? policy.points[move] : *policy.pass;
}

__device__ inline void set_gradient(const PolicyOfBoard &policy, int move, float gradient) {
    if (move < policy.area)
        policy.of_points[move] = gradient;
    else
        *policy.of_pass = gradient;
}

__device__ inline void no_gradient(const PolicyOfBoard &policy) {
    for (int move = threadIdx.x; move <= policy.area; move += blockDim.x)
        set_gradient(policy, move, 0.0f);
}

// The cross entropy of the moves that count; without a weight there is neither loss nor gradient.
template <typename Target, typename Counts>
__device__ float policy_loss(const PolicyOfBoard &policy, Target target, Counts counts, float weight, float of_head,
                             float *room) {
    if (weight == 0.0f) {
        no_gradient(policy);
        return 0.0f;
    }
    float factor = of_head * weight;
    float greatest = NO_LOGIT;
    for (int move = threadIdx.x; move <= policy.area; move += blockDim.x)
        if (counts(move))
            greatest = fmaxf(greatest, logit_of(policy, move));
    greatest = block_maximum(greatest, room);
    float taught = 0.0f, expected = 0.0f, sum = 0.0f, mass = 0.0f;
    for (int move = threadIdx.x; move <= policy.area; move += blockDim.x) {
        float p = target(move);
        mass += p;
        if (!counts(move))
            continue;
        float above = logit_of(policy, move) - greatest;
        if (p > 0.0f) {
            taught += p;
            expected += p * above;
        }
        sum += expf(above);
    }
    taught = block_sum(taught, room);
    expected = block_sum(expected, room);
    sum = block_sum(sum, room);
    float share = block_sum(mass, room) / sum;
    for (int move = threadIdx.x; move <= policy.area; move += blockDim.x) {
        float power = counts(move) ? expf(logit_of(policy, move) - greatest) : 0.0f;
        set_gradient(policy, move, counts(move) ? (power * share - target(move)) * factor : 0.0f);
    }
    return taught * logf(sum) - expected;
}

// The move that counts with the greatest value, the last of equals.
template <typename Of, typename Counts>
__device__ int best_move(int moves, Of of, Counts counts, float *room, int *indices) {
    float most = NO_LOGIT;
    int best = -1;
    for (int move = threadIdx.x; move < moves; move += blockDim.x)
        if (counts(move) && of(move) >= most) {
            most = of(move);
            best = move;
        }
    __syncthreads();
    room[threadIdx.x] = most;
    indices[threadIdx.x] = best;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            int other = threadIdx.x + half;
            float difference = room[other] - room[threadIdx.x];
            if (difference > 0.0f || !(difference < 0.0f) && indices[other] > indices[threadIdx.x]) {
                room[threadIdx.x] = room[other];
                indices[threadIdx.x] = indices[other];
            }
        }
        __syncthreads();
    }
    return indices[0];
}

// Returns the logarithm of the sum of powers of the logits.
__device__ inline float softmax_of_outcomes(const float *logits, float (&p)[3]) {
    float greatest = fmaxf(fmaxf(logits[0], logits[1]), logits[2]), sum = 0.0f;
    for (int i = 0; i < 3; i++)
        sum += p[i] = expf(logits[i] - greatest);
    for (int i = 0; i < 3; i++)
        p[i] /= sum;
    return greatest + logf(sum);
}

// Error of win less loss.
__device__ inline float error_of_value(const LossArguments &a, int board) {
    float p[3];
    softmax_of_outcomes(a.outputs.value + board * a.values, p);
    const float *known = a.samples[board].outcome;
    return p[0] - p[1] - (known[0] - known[1]);
}

__device__ inline float softplus(float x, float &slope) {
    float power = expf(-fabsf(x));
    slope = (x < 0.0f ? power : 1.0f) / (1.0f + power);
    return fmaxf(x, 0.0f) + log1pf(power);
}

__device__ inline float shortterm_error(const ObjectiveNumbers &o, float raw, float factor, float &slope) {
    if (o.halves_errors) {
        float value = softplus(raw / 2.0f, slope), root = sqrtf(factor);
        slope *= root / 2.0f;
        return value * root;
    }
    float root = sqrtf(softplus(raw, slope) * factor);
    slope *= 0.5f * factor / fmaxf(root, 1.2e-38f);
    return root;
}

__device__ inline void losses_of_values(const LossArguments &a, const SampleTargets &own, int board, float *row) {
    const ObjectiveNumbers &o = *a.objective;
    const float *logits = a.outputs.value + board * a.values;
    float *of_value = a.gradients.value + board * a.values;
    float p[3];
    float of_all = softmax_of_outcomes(logits, p);
    for (int i = 0; i < a.values; i++)
        of_value[i] = 0.0f;
    if (own.of_outcome != 0.0f) {
        float mass = own.outcome[0] + own.outcome[1] + own.outcome[2], loss = 0.0f;
        float factor = o.weights[OF_OUTCOME] * own.of_outcome * o.scale;
        for (int i = 0; i < 3; i++) {
            if (own.outcome[i] > 0.0f)
                loss += own.outcome[i] * (of_all - logits[i]);
            of_value[i] = (p[i] * mass - own.outcome[i]) * factor;
        }
        row[OF_OUTCOME] = loss * own.of_outcome;
    }
    row[LOSSES + OF_OUTCOME] = fabsf(own.of_outcome);
    // Errors relative to the mean of the sibling group.
    float sum = 0.0f, weights = 0.0f;
    int known = 0;
    for (int i = own.first_sibling; i < own.first_sibling + own.siblings; i++) {
        float weight = a.samples[i].of_outcome;
        sum += error_of_value(a, i) * weight;
        weights += weight;
        known += weight > 0.0f;
    }
    if (known < 2)
        return;
    float error = error_of_value(a, board) - sum / weights, value = p[0] - p[1];
    float factor = 2.0f * error * o.weights[OF_SIBLINGS] * own.of_outcome * o.scale;
    of_value[0] += factor * p[0] * (1.0f - value);
    of_value[1] += factor * p[1] * (-1.0f - value);
    of_value[2] += factor * p[2] * -value;
    row[OF_SIBLINGS] = error * error * own.of_outcome;
    row[LOSSES + OF_SIBLINGS] = fabsf(own.of_outcome);
}

__device__ inline void losses_of_scores(const LossArguments &a, const SampleTargets &own, int board, float *row) {
    const ObjectiveNumbers &o = *a.objective;
    const float *raw = a.outputs.score + board * a.scores;
    float *of_raw = a.gradients.score + board * a.scores;
    float value_error = own.value_error, score_error = own.score_error;
    if (own.is_expectation) {
        value_error = hypotf(value_error, error_of_value(a, board)) * o.error_told;
        score_error = hypotf(score_error, raw[0] * o.score_mean - own.score_mean) * o.error_told;
    }
    // In the order of the outputs: the Huber loss, its target and weight.
    const Loss losses[6] = {OF_SCORE_MEAN, OF_SCORE_STDEV, OF_LEAD, OF_VARIANCE_TIME, OF_VALUE_ERROR, OF_SCORE_ERROR};
    const float targets[6] = {own.score_mean, own.score_stdev, own.lead, own.variance_time, value_error, score_error};
    const float weights[6] = {own.score, own.stdev, own.score, own.shortterm, own.shortterm, own.shortterm};
    for (int i = 0; i < a.scores; i++) {
        of_raw[i] = 0.0f;
        if (i >= 6 || weights[i] == 0.0f)
            continue;
        float slope = 1.0f, value;
        switch (i) {
        case 0:
            value = raw[i] * o.score_mean, slope = o.score_mean;
            break;
        case 1:
            value = softplus(raw[i], slope) * o.score_stdev, slope *= o.score_stdev;
            break;
        case 2:
            value = raw[i] * o.lead, slope = o.lead;
            break;
        case 3:
            value = softplus(raw[i], slope) * o.variance_time, slope *= o.variance_time;
            break;
        default:
            value = shortterm_error(o, raw[i], i == 4 ? o.value_error : o.score_error, slope);
        }
        float difference = value - targets[i], size = fabsf(difference), delta = o.deltas[i];
        bool is_near = size <= delta;
        float loss = is_near ? 0.5f * difference * difference : delta * (size - 0.5f * delta);
        float direction = is_near ? difference : difference < 0.0f ? -delta : delta;
        of_raw[i] = direction * slope * o.weights[losses[i]] * weights[i] * o.scale;
        row[losses[i]] = loss * weights[i];
        row[LOSSES + losses[i]] = fabsf(weights[i]);
    }
}

// The sum over points of the cross entropy of ownership.
__device__ inline float loss_of_ownership(const LossArguments &a, const SampleTargets &own, int board, float *room) {
    const ObjectiveNumbers &o = *a.objective;
    float factor = o.weights[OF_OWNERSHIP] * own.ownership * o.scale / a.area, sum = 0.0f;
    for (int point = threadIdx.x; point < a.area; point += blockDim.x) {
        size_t place = (size_t)board * a.area + point;
        // The probability (tanh(x) + 1) / 2 is the logistic function of 2x.
        float p = (a.ownership[place] + 1.0f) / 2.0f, z = 2.0f * a.outputs.ownership[place], slope;
        float positive = softplus(z, slope);
        bool is_known = own.ownership != 0.0f;
        sum += is_known ? positive - p * z : 0.0f;
        a.gradients.ownership[place] = is_known ? 2.0f * (slope - p) * factor : 0.0f;
    }
    return block_sum(sum, room);
}

__device__ inline void losses_of_board(const LossArguments &a) {
    SHARED(shared);
    float *room = reinterpret_cast<float *>(shared);
    int *indices = reinterpret_cast<int *>(room + blockDim.x);
    int board = blockIdx.x, moves = a.area + 1;
    const SampleTargets own = a.samples[board];
    const ObjectiveNumbers &o = *a.objective;
    const float *policy = a.policy + (size_t)board * moves, *opponent = a.opponent + (size_t)board * moves;
    const unsigned char *legal = a.legal + (size_t)board * moves;
    auto is_legal = [=](int move) { return legal[move] != 0; };
    auto is_any = [](int) { return true; };
    auto taught = [=](int move) { return policy[move]; };
    auto fourth_root = [=](int move) { return legal[move] ? sqrtf(sqrtf(fmaxf(policy[move], 0.0f))) : 0.0f; };

    PolicyOfBoard first = policy_of(a, board, 0, false);
    auto predicted = [=](int move) { return logit_of(first, move); };
    int agreed = best_move(moves, predicted, is_legal, room, indices);
    bool hits = agreed == best_move(moves, taught, is_legal, room, indices);
    for (int other = 1; other < a.policies; other++)
        no_gradient(policy_of(a, board, other, false));

    float roots = 0.0f;
    for (int move = threadIdx.x; move < moves; move += blockDim.x)
        roots += fourth_root(move);
    roots = fmaxf(block_sum(roots, room), 1.2e-38f);
    auto softened = [=](int move) { return fourth_root(move) / roots; };
    auto replied = [=](int move) { return opponent[move]; };
    auto played = [=](int move) { return move == own.human_move ? 1.0f : 0.0f; };
    PolicyOfBoard soft = policy_of(a, board, 0, true), reply = policy_of(a, board, 1, true);
    PolicyOfBoard human = policy_of(a, board, 2, true);

    const float weights[4] = {own.policy, own.soft_policy, own.opponent, own.human_move >= 0 ? own.human : 0.0f};
    float of_heads[4];
    for (int i = 0; i < 4; i++)
        of_heads[i] = o.weights[i] * o.scale;
    const float losses[4] = {
        policy_loss(first, taught, is_legal, weights[OF_POLICY], of_heads[OF_POLICY], room),
        policy_loss(soft, softened, is_legal, weights[OF_SOFT_POLICY], of_heads[OF_SOFT_POLICY], room),
        policy_loss(reply, replied, is_any, weights[OF_OPPONENT], of_heads[OF_OPPONENT], room),
        policy_loss(human, played, is_legal, weights[OF_HUMAN], of_heads[OF_HUMAN], room),
    };
    float ownership = loss_of_ownership(a, own, board, room) / a.area;
    if (threadIdx.x != 0)
        return;
    float *row = a.losses + (size_t)board * LOSS_ROW;
    for (int i = 0; i < LOSS_ROW; i++)
        row[i] = 0.0f;
    for (int i = 0; i < 4; i++) {
        row[i] = losses[i] * weights[i];
        row[LOSSES + i] = fabsf(weights[i]);
    }
    losses_of_values(a, own, board, row);
    losses_of_scores(a, own, board, row);
    row[OF_OWNERSHIP] = own.ownership != 0.0f ? ownership * own.ownership : 0.0f;
    row[LOSSES + OF_OWNERSHIP] = fabsf(own.ownership);
    row[2 * LOSSES] = hits && own.is_sample ? own.policy : 0.0f;
    row[2 * LOSSES + 1] = own.is_sample;
}

static_assert(LOSS_ROW <= 32, "`loss_sums` has a thread for each");

struct LossSumsArguments {
    const float *losses; // `[board][LOSS_ROW]`
    double *sums;        // `[LOSS_ROW]`, to which those of the boards are added
    int boards, reserved;
};

__device__ inline void add_losses(const LossSumsArguments &a) {
    if (threadIdx.x >= LOSS_ROW)
        return;
    double sum = a.sums[threadIdx.x];
    for (int board = 0; board < a.boards; board++)
        sum += a.losses[(size_t)board * LOSS_ROW + threadIdx.x];
    a.sums[threadIdx.x] = sum;
}

KERNEL(losses, 128, LossArguments, losses_of_board)
KERNEL(loss_sums, 32, LossSumsArguments, add_losses)
