/* The phrases of HTTP's status codes. */
#ifndef RCS_PHRASE_H
#define RCS_PHRASE_H

/* The standard phrase of a status ("Gateway Timeout"), or "". Static. */
const char *rcs_http_phrase(unsigned status);

#endif
