/* SPDX-License-Identifier: MIT
 *
 * A callback between the events of an export. */
#ifndef EXPORT_PAUSE_H
#define EXPORT_PAUSE_H

#include "base/error.h"

/* A long export calls this every EXPORT_PAUSE_EVENTS events. Any status but STATUS_OK ends the export. The callback
 * may free memory of the input. */
struct export_pause {
	enum status (*call)(void *context, struct error *err);
	void *context;
};
#define EXPORT_PAUSE_EVENTS 8192u

#endif
