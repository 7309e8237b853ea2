#include "CByteClubMessages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char simplified_chinese[] = {
#embed "../../Resources/Languages/zh-Hans.po"
};

byteclub_catalog byteclub_simplified_chinese(void)
{
    byteclub_catalog catalog = {simplified_chinese, sizeof simplified_chinese};
    return catalog;
}
