#ifndef BYTECLUB_CSQLITE_SHIMS_H
#define BYTECLUB_CSQLITE_SHIMS_H

#include <sqlite3.h>
#include <stddef.h>

// SQLite copies what is bound: the destructor SQLITE_TRANSIENT is a cast that Swift does not see.
static inline int byteclub_sqlite_bind_text(
    sqlite3_stmt *_Nonnull statement, int index, const char *_Nonnull text, size_t count) {
    return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int byteclub_sqlite_bind_blob(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, size_t count) {
    // A null pointer would bind NULL, not an empty blob.
    return bytes && count > 0
        ? sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT)
        : sqlite3_bind_zeroblob(statement, index, 0);
}

static inline void byteclub_sqlite_result_text(
    sqlite3_context *_Nonnull context, const void *_Nullable bytes, size_t count) {
    sqlite3_result_text64(
        context, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// What lies in the file cannot redefine tables or call functions: it may have been changed from outside.
static inline void byteclub_sqlite_harden(sqlite3 *_Nonnull database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

#endif
