/* SPDX-License-Identifier: MIT
 *
 * Conditions on a value: "[SUBJECT:]NAME OP NUMBER", such as "io_mixed: fairness_jain < 0.9" and "wait > 20ms". The
 * grammar of compare's gates and of record --until. Pure. */
#ifndef BASE_CONDITION_H
#define BASE_CONDITION_H

#include <stdbool.h>

struct condition {
	const char *text;     /* as given */
	char subject[256];    /* a pattern of names; "*" if none is given */
	char name[256];       /* of the value */
	bool is_less, equals; /* < or >; with = */
	char number[64];      /* a number, perhaps with a unit, without a leading + */
	double limit;         /* set by the caller, who knows the unit */
};

/* Splits the text, which must outlive the condition, without reading its number. Returns what is wrong with it, or
 * NULL. */
const char *condition_split(const char *text, struct condition *condition);
/* True if the value meets the limit. */
bool condition_meets(const struct condition *condition, double value);
/* Length of the text before the operator. */
int condition_operator(const struct condition *condition);

#endif
