/* SPDX-License-Identifier: MIT
 *
 * The builtin schedulers, and their BPF programs. Each program has its arguments at R1, 8 bytes each. R10 is the end of
 * its stack. */
#include "scheduler/builtin_table.h"

#include "base/build.h"

/* include/linux/sched/ext.h, include/linux/sched.h: SCX_DSQ_GLOBAL and SCX_DSQ_LOCAL are 1 and 2 with the highest bit.
 */
#define SET_GLOBAL_QUEUE(to) SET_LONG(to, 1, INT32_MIN)
#define SET_LOCAL_QUEUE(to)  SET_LONG(to, 2, INT32_MIN)

enum {
	OWN_QUEUE = 0,
	WEIGHT_OF_NICE_0 = 100,
	TASK_IS_QUEUED = 1, /* SCX_TASK_QUEUED: it is runnable */
	ITERATOR_SIZE = 48, /* struct bpf_iter_scx_dsq */
};

/* The kernel's choice of a CPU. If that one is idle, the task goes to its queue at once, with the slice.
 * s32 select_cpu(struct task_struct *p, s32 prev_cpu, u64 wake_flags) */
static const struct bpf_row select_cpu[] = {
    LOAD(64, R6, R1, 0),          /* R6 = p */
    LOAD(64, R2, R1, 8),          /* prev_cpu */
    LOAD(64, R3, R1, 16),         /* wake_flags */
    STORE_NUMBER(64, R10, -8, 0), /* is_idle = false */
    MOVE(R1, R6),                 /* p */
    MOVE(R4, R10),                /* &is_idle */
    COMPUTE_NUMBER(BPF_ADD, R4, -8),
    CALL(SELECT_CPU_DEFAULT),
    MOVE(R7, R0),         /* R7 = the CPU */
    LOAD(8, R1, R10, -8), /* is_idle */
    SKIP_IF(BPF_JEQ, R1, 0, 6),
    MOVE(R1, R6),        /* p */
    SET_LOCAL_QUEUE(R2), /* two rows */
    SET_SYMBOL(R3, SLICE_NS),
    SET(R4, 0), /* no flags */
    CALL(INSERT),
    MOVE(R0, R7), /* from SKIP_IF */
    RETURN,
};

/* A task that has to wait goes to the end of the one queue.
 * void enqueue(struct task_struct *p, u64 enq_flags) */
static const struct bpf_row fifo_enqueue[] = {
    LOAD(64, R4, R1, 8), /* enq_flags */
    LOAD(64, R1, R1, 0), /* p */
    SET_GLOBAL_QUEUE(R2), SET_SYMBOL(R3, SLICE_NS), CALL(INSERT), SET(R0, 0), RETURN,
};

/* The queues have no task for this CPU: if the previous task is runnable, it runs for another slice.
 * void dispatch(s32 cpu, struct task_struct *prev) */
static const struct bpf_row fifo_dispatch[] = {
    LOAD(64, R1, R1, 8), /* prev */
    SKIP_IF(BPF_JEQ, R1, 0, 2),
    SET_SYMBOL(R2, SLICE_NS),
    CALL(SET_SLICE),
    SET(R0, 0), /* from SKIP_IF */
    RETURN,
};

/* Virtual time runs against the weight; a task that has slept keeps at most one slice of credit.
 *     vtime = max(p->scx.dsq_vtime, clock - slice)
 * In R1 = p, R4 = vtime, R5 = enq_flags. */
#define COMPUTE_QUEUE_TIME                                                                                             \
	LOAD(64, R5, R1, 8),                        /* enq_flags */                                                    \
	    LOAD(64, R1, R1, 0),                    /* p */                                                            \
	    LOAD_OF_TASK(64, R4, R1, TASK_VTIME),   /* vtime */                                                        \
	    SET_STATE(R2, STATE_CLOCK),             /* two rows */                                                     \
	    LOAD(64, R2, R2, 0),                    /* R2 = clock */                                                   \
	    COMPUTE_SYMBOL(BPF_SUB, R2, SLICE_NS),  /* R2 = clock - slice */                                           \
	    MOVE(R3, R4), COMPUTE(BPF_SUB, R3, R2), /* R3 = vtime - R2, negative if before it */                       \
	    SKIP_IF(BPF_JSGE, R3, 0, 1), MOVE(R4, R2)

/* The queue is ordered by virtual time.
 * void enqueue(struct task_struct *p, u64 enq_flags) */
static const struct bpf_row vtime_enqueue[] = {
    COMPUTE_QUEUE_TIME,
    STORE_NUMBER(64, R10, -32, OWN_QUEUE), /* struct scx_bpf_dsq_insert_vtime_args: dsq_id, */
    SET_SYMBOL(R3, SLICE_NS),
    STORE(64, R10, -24, R3), /* slice, */
    STORE(64, R10, -16, R4), /* vtime, */
    STORE(64, R10, -8, R5),  /* enq_flags */
    MOVE(R2, R10),
    COMPUTE_NUMBER(BPF_ADD, R2, -32),
    CALL(INSERT_VTIME_STRUCT),
    SET(R0, 0),
    RETURN,
};

/* The same with five arguments, on older kernels. */
static const struct bpf_row vtime_enqueue_older[] = {
    COMPUTE_QUEUE_TIME, SET(R2, OWN_QUEUE), SET_SYMBOL(R3, SLICE_NS), CALL(INSERT_VTIME), SET(R0, 0), RETURN,
};

/* R1 = where the account of the CPU of task begins. */
#define FIND_ACCOUNT(task)                                                                                             \
	MOVE(R1, task), CALL(TASK_CPU), MASK(R0, STATE_CPUS - 1), COMPUTE_NUMBER(BPF_LSH, R0, 3), SET_STATE(R1, 0),    \
	    COMPUTE(BPF_ADD, R1, R0)

/* to = task's virtual time, with what it has run since R1, its account, began. Changes R3. */
#define COMPUTE_TASK_TIME(to, task)                                                                                    \
	LOAD_OF_TASK(64, to, task, TASK_RUNTIME), LOAD(64, R3, R1, 0), COMPUTE(BPF_SUB, to, R3), /* what it ran */     \
	    COMPUTE_NUMBER(BPF_MUL, to, WEIGHT_OF_NICE_0), LOAD_OF_TASK(32, R3, task, TASK_WEIGHT),                    \
	    COMPUTE(BPF_DIV, to, R3), /* 0 if the weight is */                                                         \
	    LOAD_OF_TASK(64, R3, task, TASK_VTIME), COMPUTE(BPF_ADD, to, R3)

/* The task that ran is not in the queue yet. It goes on if it is runnable and before the first task of the queue. Else
 * the CPU takes that one. If the queue has none for this CPU, the task that ran goes on, and what it has run is not
 * charged: no task has waited for it. void dispatch(s32 cpu, struct task_struct *prev) */
static const struct bpf_row vtime_dispatch[] = {
    LOAD(64, R6, R1, 8), /* R6 = prev */
    SET(R7, 0),          /* whether the queue has a task */
    SET(R8, 0),          /* the virtual time of the first */
    MOVE(R1, R10),
    COMPUTE_NUMBER(BPF_ADD, R1, -ITERATOR_SIZE),
    SET(R2, OWN_QUEUE),
    SET(R3, 0), /* no flags */
    CALL(ITERATOR_NEW),
    MOVE(R1, R10),
    COMPUTE_NUMBER(BPF_ADD, R1, -ITERATOR_SIZE),
    CALL(ITERATOR_NEXT),
    SKIP_IF(BPF_JEQ, R0, 0, 2),
    SET(R7, 1),
    LOAD_OF_TASK(64, R8, R0, TASK_VTIME),
    MOVE(R1, R10), /* from SKIP_IF */
    COMPUTE_NUMBER(BPF_ADD, R1, -ITERATOR_SIZE),
    CALL(ITERATOR_DESTROY),

    SKIP_IF(BPF_JEQ, R6, 0, 26),
    SKIP_IF(BPF_JEQ, R7, 0, 25),
    LOAD_OF_TASK(32, R1, R6, TASK_FLAGS),
    MASK(R1, TASK_IS_QUEUED),
    SKIP_IF(BPF_JEQ, R1, 0, 22),
    FIND_ACCOUNT(R6),          /* seven rows */
    COMPUTE_TASK_TIME(R2, R6), /* eight rows */
    COMPUTE(BPF_SUB, R2, R8),  /* negative if prev is before the first */
    SKIP_IF(BPF_JSGE, R2, 0, 5),
    MOVE(R1, R6),
    SET_SYMBOL(R2, SLICE_NS),
    CALL(SET_SLICE),
    SET(R0, 0),
    RETURN,

    SET(R1, OWN_QUEUE), /* from the four SKIP_IF */
    SET(R2, 0),         /* no flags; older kernels take only the queue */
    CALL(MOVE_TO_LOCAL),
    MASK(R0, 0xff), /* a bool */
    SKIP_IF(BPF_JNE, R0, 0, 13),
    SKIP_IF(BPF_JEQ, R6, 0, 12),
    MOVE(R1, R6),
    SET_SYMBOL(R2, SLICE_NS),
    CALL(SET_SLICE),
    FIND_ACCOUNT(R6), /* seven rows */
    LOAD_OF_TASK(64, R2, R6, TASK_RUNTIME),
    STORE(64, R1, 0, R2),
    SET(R0, 0), /* from both SKIP_IF */
    RETURN,
};

/* Begins the account, and moves the clock to the task's time if that is later.
 * void running(struct task_struct *p) */
static const struct bpf_row vtime_running[] = {
    LOAD(64, R6, R1, 0), /* R6 = p */
    FIND_ACCOUNT(R6),
    LOAD_OF_TASK(64, R2, R6, TASK_RUNTIME),
    STORE(64, R1, 0, R2),
    LOAD_OF_TASK(64, R1, R6, TASK_VTIME),
    SET_STATE(R2, STATE_CLOCK),
    LOAD(64, R3, R2, 0),
    COMPUTE(BPF_SUB, R3, R1), /* clock - vtime, negative if the clock is before it */
    SKIP_IF(BPF_JSGE, R3, 0, 1),
    STORE(64, R2, 0, R1),
    SET(R0, 0), /* from SKIP_IF */
    RETURN,
};

/* Charges the account: dsq_vtime += run time * 100 / weight.
 * void stopping(struct task_struct *p, bool runnable) */
static const struct bpf_row vtime_stopping[] = {
    LOAD(64, R6, R1, 0),       /* R6 = p */
    FIND_ACCOUNT(R6),          /* seven rows */
    COMPUTE_TASK_TIME(R2, R6), /* eight rows */
    MOVE(R1, R6),              /* p, with the virtual time in R2 */
    CALL(SET_VTIME),
    SET(R0, 0),
    RETURN,
};

/* A task that joins starts at the current virtual clock.
 * void enable(struct task_struct *p) */
static const struct bpf_row vtime_enable[] = {
    LOAD(64, R1, R1, 0), /* p */
    SET_STATE(R2, STATE_CLOCK), LOAD(64, R2, R2, 0), CALL(SET_VTIME), SET(R0, 0), RETURN,
};

/* s32 init(void) */
static const struct bpf_row vtime_init[] = {
    SET(R1, OWN_QUEUE),
    SET(R2, -1), /* on any NUMA node */
    CALL(CREATE_QUEUE),
    RETURN,
};

#define PROGRAM(operation, rows)                                                                                       \
	{                                                                                                              \
		operation, rows, sizeof(rows) / sizeof((rows)[0]), false                                               \
	}

const struct builtin_program fifo_with_slice_programs[] = {
    PROGRAM("select_cpu", select_cpu),
    PROGRAM("enqueue", fifo_enqueue),
    PROGRAM("dispatch", fifo_dispatch),
    {0},
};

const struct builtin_program vtime_programs[] = {
    PROGRAM("select_cpu", select_cpu),
    PROGRAM("enqueue", vtime_enqueue),
    PROGRAM("enqueue", vtime_enqueue_older),
    PROGRAM("dispatch", vtime_dispatch),
    PROGRAM("running", vtime_running),
    PROGRAM("stopping", vtime_stopping),
    PROGRAM("enable", vtime_enable),
    {"init", vtime_init, sizeof(vtime_init) / sizeof(vtime_init[0]), true},
    {0},
};

const struct builtin_scheduler builtin_scheduler_table[] = {
    {.name = "builtin:fifo",
     .ops = "picknext_fifo",
     .description = HELP("one global queue, first in, first out"),
     .algorithm =
	 HELP("a task that wakes up runs on an idle CPU if there is one, else it waits in one queue of all CPUs. No "
	      "preemption at wakeup; slices of 20 ms, or builtin:fifo,slice=TIME. Without a slice these are the "
	      "kernel's own defaults, and no BPF program is loaded"),
     .programs_with_slice = fifo_with_slice_programs},
    {.name = "builtin:vtime",
     .ops = "picknext_vtime",
     .description = HELP("one global queue, ordered by weighted virtual time"),
     .algorithm =
	 HELP("as builtin:fifo, but the task with the smallest virtual time runs first, also when a slice ends. "
	      "Virtual time is run time * 100 / weight; the weight is 100 at nice 0. A task that has slept keeps "
	      "at most one slice of credit; a slice is not charged if no other task has waited"),
     .programs = vtime_programs,
     .programs_with_slice = vtime_programs},
    {.name = NULL},
};
