/* SPDX-License-Identifier: MIT
 *
 * weights SECONDS: two processes, weight-0 and weight-5, compute on CPU 0 with the nice values 0 and 5. After so many
 * seconds prints what each has run, in ms, and how often each was switched out: "ran R0 R5 switches S0 S5". */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "support/guest_task.h"

static pid_t start(const char *name, int nice_value)
{
	pid_t child = fork();

	if (child < 0)
		fail("fork");
	if (child)
		return child;
	prctl(PR_SET_NAME, name);
	allow(0, 0, 0);
	if (setpriority(PRIO_PROCESS, 0, nice_value))
		fail("setpriority");
	for (;;)
		;
}

int main(int argc, char **argv)
{
	long seconds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	struct rusage used[2];
	pid_t children[2];

	if (seconds < 1) {
		fprintf(stderr, "usage: weights SECONDS\n");
		return 2;
	}
	children[0] = start("weight-0", 0);
	children[1] = start("weight-5", 5);
	rest_ms(seconds * 1000);
	for (int i = 0; i < 2; i++)
		kill(children[i], SIGKILL);
	for (int i = 0; i < 2; i++)
		if (wait4(children[i], NULL, 0, &used[i]) != children[i])
			fail("wait4");
	printf("ran %ld %ld switches %ld %ld\n", used[0].ru_utime.tv_sec * 1000 + used[0].ru_utime.tv_usec / 1000,
	       used[1].ru_utime.tv_sec * 1000 + used[1].ru_utime.tv_usec / 1000, used[0].ru_nivcsw, used[1].ru_nivcsw);
	return 0;
}
