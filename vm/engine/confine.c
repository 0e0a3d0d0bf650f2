/* SPDX-License-Identifier: MIT */
#include "vm/engine/confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Source: linux/audit.h, linux/seccomp.h and linux/bpf_common.h, which musl does not have. */
#ifdef __x86_64__
#define THIS_ARCHITECTURE 0xc000003e
#else
#define THIS_ARCHITECTURE 0xc00000b7
#endif
#define SET_MODE_FILTER 1
#define FLAG_SPEC_ALLOW 4 /* without it, kernels before 5.16 slow the process down */
#define RETURN_ERRNO    0x00050000u
#define RETURN_ALLOW    0x7fff0000u
#define LOAD_ABSOLUTE   0x20
#define JUMP_EQUAL      0x15
#define JUMP_ANY_BIT    0x45
#define AND_CONSTANT    0x54
#define RETURN_CONSTANT 0x06

struct instruction {
	uint16_t code;
	uint8_t if_true, if_false; /* instructions to skip */
	uint32_t constant;
};

struct call_data {
	int32_t number;
	uint32_t architecture;
	uint64_t instruction_pointer, arguments[6];
};

/* System calls that the C library's headers may lack; their numbers are the same on all architectures. */
#define CALL_FCHMODAT2  452
#define CALL_SETXATTRAT 463
#define CREATES         (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))
#define RULES_MAX       20

enum rule_kind {
	RULE_REFUSED,     /* always */
	RULE_MODE,        /* set-uid and set-gid in the argument */
	RULE_MODE_OPEN,   /* the same, if the argument before it has O_CREAT or O_TMPFILE */
	RULE_MODE_DEVICE, /* the same, and device nodes */
};

static const struct rule {
	long call;
	enum rule_kind kind;
	unsigned int argument;
	int errnum;
} rules[] = {
#ifdef SYS_chmod
    {SYS_chmod, RULE_MODE, 1, EPERM},
    {SYS_creat, RULE_MODE, 1, EPERM},
    {SYS_open, RULE_MODE_OPEN, 2, EPERM},
    {SYS_mknod, RULE_MODE_DEVICE, 1, EPERM},
    {SYS_chown, RULE_REFUSED, 0, EPERM},
    {SYS_lchown, RULE_REFUSED, 0, EPERM},
#endif
    {SYS_fchmod, RULE_MODE, 1, EPERM},
    {SYS_fchmodat, RULE_MODE, 2, EPERM},
    {CALL_FCHMODAT2, RULE_MODE, 2, EPERM},
    {SYS_openat, RULE_MODE_OPEN, 3, EPERM},
    {SYS_mknodat, RULE_MODE_DEVICE, 2, EPERM},
    {SYS_fchown, RULE_REFUSED, 0, EPERM},
    {SYS_fchownat, RULE_REFUSED, 0, EPERM},
    {SYS_setxattr, RULE_REFUSED, 0, EOPNOTSUPP},
    {SYS_lsetxattr, RULE_REFUSED, 0, EOPNOTSUPP},
    {SYS_fsetxattr, RULE_REFUSED, 0, EOPNOTSUPP},
    {CALL_SETXATTRAT, RULE_REFUSED, 0, EOPNOTSUPP},
};

struct program {
	struct instruction code[12 * RULES_MAX];
	unsigned short length;
};

static void add(struct program *program, uint16_t code, uint32_t constant, uint8_t if_true, uint8_t if_false)
{
	program->code[program->length++] = (struct instruction){code, if_true, if_false, constant};
}

/* All modes and flags are in the low half of an argument; both architectures are little-endian. */
static void load_argument(struct program *program, unsigned int argument)
{
	add(program, LOAD_ABSOLUTE, (uint32_t)(offsetof(struct call_data, arguments) + 8 * argument), 0, 0);
}

static void refuse(struct program *program, const struct rule *rule)
{
	add(program, RETURN_CONSTANT, RETURN_ERRNO | (uint32_t)rule->errnum, 0, 0);
}

static void allow(struct program *program)
{
	add(program, RETURN_CONSTANT, RETURN_ALLOW, 0, 0);
}

/* The system call's number is in the accumulator, before and after. */
static void add_rule(struct program *program, const struct rule *rule)
{
	unsigned short start = program->length;

	add(program, JUMP_EQUAL, (uint32_t)rule->call, 0, 0);
	if (rule->kind == RULE_MODE_OPEN) {
		load_argument(program, rule->argument - 1);
		add(program, JUMP_ANY_BIT, CREATES, 1, 0);
		allow(program);
	}
	if (rule->kind != RULE_REFUSED) {
		load_argument(program, rule->argument);
		add(program, JUMP_ANY_BIT, S_ISUID | S_ISGID, rule->kind == RULE_MODE_DEVICE ? 4 : 1, 0);
	}
	if (rule->kind == RULE_MODE_DEVICE) {
		add(program, AND_CONSTANT, S_IFMT, 0, 0);
		add(program, JUMP_EQUAL, S_IFCHR, 2, 0);
		add(program, JUMP_EQUAL, S_IFBLK, 1, 0);
	}
	if (rule->kind != RULE_REFUSED)
		allow(program);
	refuse(program, rule);
	program->code[start].if_false = (uint8_t)(program->length - start - 1);
}

static void write_program(struct program *program)
{
	_Static_assert(sizeof(rules) / sizeof(rules[0]) <= RULES_MAX, "the program has room for all rules");

	program->length = 0;
	add(program, LOAD_ABSOLUTE, offsetof(struct call_data, architecture), 0, 0);
	add(program, JUMP_EQUAL, THIS_ARCHITECTURE, 1, 0);
	allow(program);
	add(program, LOAD_ABSOLUTE, offsetof(struct call_data, number), 0, 0);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		add_rule(program, &rules[i]);
	allow(program);
}

static void refuse_special_files(void)
{
	struct program program;

	write_program(&program);
	const struct {
		unsigned short length;
		const struct instruction *code;
	} filter = {program.length, program.code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    syscall(SYS_seccomp, SET_MODE_FILTER, FLAG_SPEC_ALLOW, &filter) < 0)
		return; /* then only the directory's mode protects the host */
}

/* The engine must not inherit descriptors that picknext itself inherited. */
static void close_descriptors_at_exec(void)
{
	DIR *list = opendir("/proc/self/fd");

	for (struct dirent *entry; list && (entry = readdir(list));) {
		int fd = atoi(entry->d_name);
		if (fd > STDERR_FILENO)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	if (list)
		closedir(list);
}

void confine_process(void)
{
	umask(077);
	close_descriptors_at_exec();
	refuse_special_files();
}
