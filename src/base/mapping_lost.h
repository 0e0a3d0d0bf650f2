/* SPDX-License-Identifier: MIT
 *
 * Files are read through mappings (base/file.h). If another process cuts such a file, or its disk fails, the kernel
 * answers the next access with SIGBUS (mmap(2)): no call returns an error that could be passed on. */
#ifndef BASE_MAPPING_LOST_H
#define BASE_MAPPING_LOST_H

/* From now on such an access ends the process with a message that names the file, and the exit code of STATUS_SYSTEM,
 * after the registered clean-ups (base/memory.h). Outputs that were not finished are not put in place. Any other SIGBUS
 * keeps its default action. */
void mapping_lost_catch(void);

#endif
