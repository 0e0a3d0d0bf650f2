/* SPDX-License-Identifier: MIT
 *
 * Texts as the kernels' tracefs shows them, byte for byte. */
#ifndef SUPPORT_KERNEL_TEXTS_H
#define SUPPORT_KERNEL_TEXTS_H

#include "trace/format/event_format.h"

#define SPAN(text) ((struct text_span){text, sizeof(text) - 1})

/* 6.12, x86-64 */
#define HEADER_PAGE                                                                                                    \
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"                                                     \
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"                                                    \
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"                                                     \
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n"

/* 32-bit kernels: a long is 4 bytes */
#define HEADER_PAGE_32                                                                                                 \
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"                                                     \
	"\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"                                                    \
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"                                                     \
	"\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n"

/* 5.10 to 6.18 */
#define HEADER_EVENT                                                                                                   \
	"# compressed entry header\n"                                                                                  \
	"\ttype_len    :    5 bits\n"                                                                                  \
	"\ttime_delta  :   27 bits\n"                                                                                  \
	"\tarray       :   32 bits\n"                                                                                  \
	"\n"                                                                                                           \
	"\tpadding     : type == 29\n"                                                                                 \
	"\ttime_extend : type == 30\n"                                                                                 \
	"\ttime_stamp : type == 31\n"                                                                                  \
	"\tdata max type_len  == 28\n"

#define COMMON_FIELDS                                                                                                  \
	"format:\n"                                                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                                 \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"                                                     \
	"\n"

#define SWITCH_FIELDS(comm_signed)                                                                                     \
	COMMON_FIELDS                                                                                                  \
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:" comm_signed ";\n"                                  \
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"                                                    \
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"                                                     \
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"                                                   \
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:" comm_signed ";\n"                                 \
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"                                                    \
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"                                                     \
	"\n"

#define SWITCH_PRINT(arguments)                                                                                        \
	"print fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d "             \
	"next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, " arguments                                    \
	", REC->next_comm, REC->next_pid, REC->next_prio\n"

/* 6.1, 6.12 and 6.18 write the same, with other IDs */
#define STATE_BITS_6                                                                                                   \
	"0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040"
#define SWITCH_STATE_6                                                                                                 \
	"(REC->prev_state & ((((" STATE_BITS_6                                                                         \
	") + 1) << 1) - 1)) ? __print_flags(REC->prev_state & ((((" STATE_BITS_6                                       \
	") + 1) << 1) - 1), \"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, "              \
	"{ 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" }, "                 \
	"{ 0x00000080, \"I\" }) : \"R\", REC->prev_state & (((" STATE_BITS_6 ") + 1) << 1) ? \"+\" : \"\""

/* 5.10 */
#define STATE_BITS_5 "0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040"
#define SWITCH_STATE_5                                                                                                 \
	"(REC->prev_state & ((((" STATE_BITS_5                                                                         \
	") + 1) << 1) - 1)) ? __print_flags(REC->prev_state & ((((" STATE_BITS_5                                       \
	") + 1) << 1) - 1), \"|\", { 0x0001, \"S\" }, { 0x0002, \"D\" }, { 0x0004, \"T\" }, { 0x0008, \"t\" }, "       \
	"{ 0x0010, \"X\" }, { 0x0020, \"Z\" }, { 0x0040, \"P\" }, { 0x0080, \"I\" }) : \"R\", "                        \
	"REC->prev_state & (((" STATE_BITS_5 ") + 1) << 1) ? \"+\" : \"\""

/* 3.10, where the bits meant other things */
#define SWITCH_STATE_3_10                                                                                              \
	"REC->prev_state & (1024-1) ? __print_flags(REC->prev_state & (1024-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, "   \
	"{ 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, "    \
	"{ 512, \"P\" }) : \"R\", REC->prev_state & 1024 ? \"+\" : \"\""

#define SWITCH_FORMAT      "name: sched_switch\nID: 310\n" SWITCH_FIELDS("0") SWITCH_PRINT(SWITCH_STATE_6)
#define SWITCH_FORMAT_5    "name: sched_switch\nID: 308\n" SWITCH_FIELDS("1") SWITCH_PRINT(SWITCH_STATE_5)
#define SWITCH_FORMAT_3_10 "name: sched_switch\nID: 273\n" SWITCH_FIELDS("1") SWITCH_PRINT(SWITCH_STATE_3_10)

#define WAKEUP_FIELDS                                                                                                  \
	COMMON_FIELDS                                                                                                  \
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"                                                     \
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"                                                         \
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"                                                          \
	"\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"                                                    \
	"\n"                                                                                                           \
	"print fmt: \"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, REC->target_cpu\n"

#define WAKEUP_FORMAT     "name: sched_wakeup\nID: 312\n" WAKEUP_FIELDS
#define WAKEUP_NEW_FORMAT "name: sched_wakeup_new\nID: 311\n" WAKEUP_FIELDS

/* 6.12 */
#define MIGRATE_FORMAT                                                                                                 \
	"name: sched_migrate_task\nID: 309\n" COMMON_FIELDS "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n" \
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"                                                         \
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"                                                          \
	"\tfield:int orig_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"                                                      \
	"\tfield:int dest_cpu;\toffset:36;\tsize:4;\tsigned:1;\n"                                                      \
	"\n"                                                                                                           \
	"print fmt: \"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d\", REC->comm, REC->pid, REC->prio, "              \
	"REC->orig_cpu, REC->dest_cpu\n"

/* 5.10: one field more */
#define WAKEUP_FORMAT_5                                                                                                \
	"name: sched_wakeup\nID: 310\n" COMMON_FIELDS "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"       \
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"                                                         \
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"                                                          \
	"\tfield:int success;\toffset:32;\tsize:4;\tsigned:1;\n"                                                       \
	"\tfield:int target_cpu;\toffset:36;\tsize:4;\tsigned:1;\n"                                                    \
	"\n"                                                                                                           \
	"print fmt: \"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, REC->target_cpu\n"

/* 6.18: the name lies behind the record */
#define MIGRATE_FORMAT_LOCATED                                                                                         \
	"name: sched_migrate_task\nID: 371\n" COMMON_FIELDS                                                            \
	"\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n"                                             \
	"\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"                                                         \
	"\tfield:int prio;\toffset:16;\tsize:4;\tsigned:1;\n"                                                          \
	"\tfield:int orig_cpu;\toffset:20;\tsize:4;\tsigned:1;\n"                                                      \
	"\tfield:int dest_cpu;\toffset:24;\tsize:4;\tsigned:1;\n"                                                      \
	"\n"                                                                                                           \
	"print fmt: \"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d\", __get_str(comm), REC->pid, REC->prio, "        \
	"REC->orig_cpu, REC->dest_cpu\n"

/* 6.18 */
#define SET_PRIO_FORMAT                                                                                                \
	"name: sched_pi_setprio\nID: 362\n" COMMON_FIELDS                                                              \
	"\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n"                                             \
	"\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"                                                         \
	"\tfield:int oldprio;\toffset:16;\tsize:4;\tsigned:1;\n"                                                       \
	"\tfield:int newprio;\toffset:20;\tsize:4;\tsigned:1;\n"                                                       \
	"\n"                                                                                                           \
	"print fmt: \"comm=%s pid=%d oldprio=%d newprio=%d\", __get_str(comm), REC->pid, REC->oldprio, REC->newprio\n"

#define ID_SWITCH          310
#define ID_WAKEUP          312
#define ID_WAKEUP_NEW      311
#define ID_MIGRATE         309
#define ID_MIGRATE_LOCATED 371

#endif
