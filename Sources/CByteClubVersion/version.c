#include "CByteClubVersion.h"

// The manifest defines BYTECLUB_COMMIT from the environment, without quotes.
#ifdef BYTECLUB_COMMIT
#define TEXT(words) #words
#define TEXT_OF(macro) TEXT(macro)
#else
#define TEXT_OF(macro) ""
#endif

const char *byteclub_commit(void) { return TEXT_OF(BYTECLUB_COMMIT); }
