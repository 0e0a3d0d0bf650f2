/* SPDX-License-Identifier: MIT
 *
 * kernel/sched/deadline.c: the fair server of a CPU. It lets fair tasks run before real-time ones that wait, but only
 * after they have waited for what is left of its period (it is deferred), and then until its deadline. */
#ifndef RULES_FAIR_SERVER_H
#define RULES_FAIR_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/class.h"

/* As in kernels as delivered. */
#define FAIR_PERIOD_NS  UINT64_C(1000000000)
#define FAIR_RUNTIME_NS UINT64_C(50000000)

/* What is known of it. Zero: nothing. */
struct fair_server {
	bool runs;          /* it lets the running fair task run */
	uint64_t served_ns; /* that fair tasks have run by it, with less than a period between them */
	uint64_t since_ns;  /* of the latest switch */
	uint64_t left_ns;   /* when it stopped, as the last of them went to sleep; 0: it did not, or others have run */
	uint64_t came_ns;   /* when the first one came after that; 0: none has */
};

/* A switch of the CPU. */
struct fair_server_switch {
	enum rule_class out, in;
	bool is_runnable; /* what stops to run could go on */
	bool has_fair;    /* other fair tasks wait on the CPU, or may */
	uint64_t now_ns;
};

/* A fair task is put on a queue of the CPU. */
void fair_server_come(struct fair_server *server, uint64_t now_ns);
/* If a fair task begins to run before a real-time one that waits, although the server's last deadline had passed when
 * fair tasks came to the CPU, which had none: for how long these have waited. Else 0. */
uint64_t fair_server_step(struct fair_server *server, const struct fair_server_switch *at);

#endif
