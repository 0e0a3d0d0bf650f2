/* SPDX-License-Identifier: MIT */
#include "trace/migration_cause.h"

#include <string.h>

const char *migration_cause_name(enum migration_cause cause)
{
	static const char *const names[] = {
	    [MIGRATION_WAKEUP] = "wakeup",   [MIGRATION_FORK] = "fork",         [MIGRATION_EXEC] = "exec",
	    [MIGRATION_SELF] = "self",       [MIGRATION_PULL] = "pull",         [MIGRATION_ACTIVE] = "active-balance",
	    [MIGRATION_NUMA] = "numa",       [MIGRATION_AFFINITY] = "affinity", [MIGRATION_RT_PUSH] = "rt-push",
	    [MIGRATION_RT_PULL] = "rt-pull", [MIGRATION_HOTPLUG] = "hotplug",   [MIGRATION_DISPATCH] = "dispatch",
	    [MIGRATION_UNKNOWN] = "unknown",
	};

	return names[cause < MIGRATION_CAUSES ? cause : MIGRATION_UNKNOWN];
}

const char *pull_kind_name(enum pull_kind kind)
{
	static const char *const names[] = {
	    [PULL_UNKNOWN] = "unknown",
	    [PULL_NEWIDLE] = "newidle",
	    [PULL_PERIODIC] = "periodic",
	    [PULL_NOHZ] = "nohz",
	};

	return names[kind < PULL_KINDS ? kind : PULL_UNKNOWN];
}

void migration_add_cause(const struct migration *migration, struct buffer *out)
{
	buffer_text(out, migration_cause_name(migration->cause));
	if (migration->cause == MIGRATION_PULL && migration->pull != PULL_UNKNOWN)
		buffer_printf(out, ", %s", pull_kind_name(migration->pull));
}

enum { MOVES = 1, ASKS = 2, STOPPER = 4 };

/* Callers of set_task_cpu() in Linux 5.10 to 7.3, their callers (for compilers that inline), and functions that wake a
 * stopper. */
static const struct {
	const char name[30];
	unsigned char cause, role;
} functions[] = {
    {"try_to_wake_up", MIGRATION_WAKEUP, MOVES},
    {"wake_up_new_task", MIGRATION_FORK, MOVES},
    {"sched_fork", MIGRATION_FORK, MOVES},
    {"active_load_balance_cpu_stop", MIGRATION_ACTIVE, MOVES},
    {"detach_one_task", MIGRATION_ACTIVE, MOVES},
    {"detach_tasks", MIGRATION_PULL, MOVES},
    {"load_balance", MIGRATION_PULL, MOVES},
    {"sched_balance_rq", MIGRATION_PULL, MOVES},
    {"newidle_balance", MIGRATION_PULL, MOVES},
    {"sched_balance_newidle", MIGRATION_PULL, MOVES},
    {"rebalance_domains", MIGRATION_PULL, MOVES},
    {"sched_balance_domains", MIGRATION_PULL, MOVES},
    {"sched_core_balance", MIGRATION_PULL, MOVES},
    {"migrate_swap_stop", MIGRATION_NUMA, MOVES},
    {"migrate_swap", MIGRATION_NUMA, ASKS},
    {"migrate_task_to", MIGRATION_NUMA, ASKS},
    {"task_numa_migrate", MIGRATION_NUMA, ASKS},
    {"sched_exec", MIGRATION_EXEC, ASKS},
    {"migration_cpu_stop", MIGRATION_UNKNOWN, MOVES | STOPPER},
    {"__balance_push_cpu_stop", MIGRATION_HOTPLUG, MOVES},
    {"migrate_tasks", MIGRATION_HOTPLUG, MOVES},
    {"sched_cpu_dying", MIGRATION_HOTPLUG, MOVES},
    {"balance_push", MIGRATION_HOTPLUG, ASKS},
    {"affine_move_task", MIGRATION_AFFINITY, MOVES | ASKS},
    {"__set_cpus_allowed_ptr_locked", MIGRATION_AFFINITY, MOVES | ASKS},
    {"__set_cpus_allowed_ptr", MIGRATION_AFFINITY, MOVES | ASKS},
    {"set_cpus_allowed_ptr", MIGRATION_AFFINITY, MOVES | ASKS},
    {"push_rt_task", MIGRATION_RT_PUSH, MOVES},
    {"push_rt_tasks", MIGRATION_RT_PUSH, MOVES},
    {"push_dl_task", MIGRATION_RT_PUSH, MOVES},
    {"push_dl_tasks", MIGRATION_RT_PUSH, MOVES},
    {"push_cpu_stop", MIGRATION_RT_PUSH, MOVES},
    {"pull_rt_task", MIGRATION_RT_PULL, MOVES},
    {"pull_dl_task", MIGRATION_RT_PULL, MOVES},
    {"dl_task_offline_migration", MIGRATION_HOTPLUG, MOVES},
    {"move_remote_task_to_local_dsq", MIGRATION_DISPATCH, MOVES},
    {"consume_remote_task", MIGRATION_DISPATCH, MOVES},
    {"consume_dispatch_q", MIGRATION_DISPATCH, MOVES},
    {"dispatch_to_local_dsq", MIGRATION_DISPATCH, MOVES},
    {"move_task_between_dsqs", MIGRATION_DISPATCH, MOVES},
    {"finish_dispatch", MIGRATION_DISPATCH, MOVES},
    {"balance_one", MIGRATION_DISPATCH, MOVES},
    {"balance_scx", MIGRATION_DISPATCH, MOVES},
    {"pick_task_scx", MIGRATION_DISPATCH, MOVES},
};

/* Callers of load_balance() and of rebalance_domains(): the innermost one in a stack shows which balance pulls. */
static const struct {
	const char name[30];
	unsigned char kind;
} pulling_functions[] = {
    {"newidle_balance", PULL_NEWIDLE},        {"sched_balance_newidle", PULL_NEWIDLE},
    {"_nohz_idle_balance", PULL_NOHZ},        {"nohz_idle_balance", PULL_NOHZ},
    {"run_rebalance_domains", PULL_PERIODIC}, {"sched_balance_softirq", PULL_PERIODIC},
};

/* Compilers name parts of a function NAME.isra.0, NAME.part.0... */
static bool is_function(struct text_span symbol, const char *name)
{
	size_t length = strlen(name);

	return symbol.length >= length && memcmp(symbol.text, name, length) == 0 &&
	       (symbol.length == length || symbol.text[length] == '.');
}

static enum pull_kind find_pull(struct text_span symbol)
{
	for (size_t f = 0; f < sizeof(pulling_functions) / sizeof(*pulling_functions); f++)
		if (is_function(symbol, pulling_functions[f].name))
			return (enum pull_kind)pulling_functions[f].kind;
	return PULL_UNKNOWN;
}

bool migration_function_is_known(struct text_span symbol)
{
	for (size_t f = 0; f < sizeof(functions) / sizeof(*functions); f++)
		if (is_function(symbol, functions[f].name))
			return true;
	return find_pull(symbol) != PULL_UNKNOWN;
}

/* Return address - 1: a call at the end of a function returns to the address after it. */
static const struct kernel_symbol *find_symbol(const struct kernel_symbols *symbols, uint64_t address)
{
	return kernel_symbols_find(symbols, address - (address > 0));
}

static void find_function(const struct kernel_symbols *symbols, const uint64_t *addresses, size_t count,
			  unsigned int role, struct migration_stack *stack)
{
	*stack = (struct migration_stack){.cause = MIGRATION_UNKNOWN};
	for (size_t i = 0; i < count; i++) {
		const struct kernel_symbol *symbol = find_symbol(symbols, addresses[i]);
		for (size_t f = 0; symbol && f < sizeof(functions) / sizeof(*functions); f++) {
			if (!(functions[f].role & role) || !is_function(symbol->name, functions[f].name))
				continue;
			stack->cause = (enum migration_cause)functions[f].cause;
			stack->function = functions[f].name;
			stack->by_request = functions[f].role & STOPPER;
			return;
		}
	}
}

void migration_stack_of_move(const struct kernel_symbols *symbols, const uint64_t *addresses, size_t count,
			     struct migration_stack *stack)
{
	find_function(symbols, addresses, count, MOVES, stack);
	for (size_t i = 0; stack->cause == MIGRATION_PULL && stack->pull == PULL_UNKNOWN && i < count; i++) {
		const struct kernel_symbol *symbol = find_symbol(symbols, addresses[i]);
		stack->pull = symbol ? find_pull(symbol->name) : PULL_UNKNOWN;
	}
}

void migration_stack_of_request(const struct kernel_symbols *symbols, const uint64_t *addresses, size_t count,
				struct migration_stack *stack)
{
	find_function(symbols, addresses, count, ASKS, stack);
}
