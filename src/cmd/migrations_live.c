/* SPDX-License-Identifier: MIT
 *
 * picknext migrations --live: statistics of what happens now, for hours. */
#include "cmd/migrations.h"
int migrations_live(const struct migrations_values *values)
{
	(void)values;
	return 2;
}
