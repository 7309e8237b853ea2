#include "CByteClubWelcome.h"

/* #embed puts 450 KB into the program in no time. SwiftPM's `embedInCode` writes them as a Swift
 * array literal, which takes the compiler a minute and a half. */

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char note[] = {
#embed "../../Resources/Welcome/Welcome to Byte Club.txt"
};

static const unsigned char chinese_note[] = {
#embed "../../Resources/Welcome/zh-Hans/Welcome.txt"
};

static const unsigned char dawn[] = {
#embed "../../Resources/Welcome/photos/Dawn over the lake.jpg"
};

static const unsigned char city[] = {
#embed "../../Resources/Welcome/photos/City by the river.jpg"
};

static const unsigned char coast[] = {
#embed "../../Resources/Welcome/photos/Lighthouse coast.jpg"
};

static const byteclub_welcome_file files[] = {
    {"Welcome to Byte Club.txt", note, sizeof note},
    {"photos/Dawn over the lake.jpg", dawn, sizeof dawn},
    {"photos/City by the river.jpg", city, sizeof city},
    {"photos/Lighthouse coast.jpg", coast, sizeof coast},
};

const byteclub_welcome_file byteclub_welcome_chinese_note =
    {"欢迎来到 Byte Club.txt", chinese_note, sizeof chinese_note};

size_t byteclub_welcome_file_count(void)
{
    return sizeof files / sizeof files[0];
}

byteclub_welcome_file byteclub_welcome_file_at(size_t index)
{
    return files[index];
}
