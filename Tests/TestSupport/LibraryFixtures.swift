public import Foundation

/// Small files of the kinds that libraries decode: the four quarters of `Photos.corners`, 96 × 64.
///
/// Written by cwebp, heif-enc and avifenc of Debian 12; the turn of one HEIC was added by hand.
public enum LibraryFixtures {
    /// Lossy WebP.
    public static let lossy = data(
        "UklGRpgAAABXRUJQVlA4IIwAAACwBgCdASpgAEAAPrVOoEsnJCMhrUgA4BaJQQ4AMdsEH6r+IG0Zc5/F"
            + "z8cq/8BU238YyqffMJHGtzUmG60OQAD9+rfocBnab1X2kWvnBlwsIDe6yoeYTkj3m33m33/OmCnlQPkw"
            + "UUGFgt03GmmfpI+sX266j2oRZNu1HbrqPhqsEsdWWDSMGGAYTEAAAA==")

    /// Lossless WebP, whose green quarter is transparent.
    public static let transparent = data(
        "UklGRjYAAABXRUJQVlA4TCkAAAAvX8APEB8w//MvICj4P7r5D4IuQCRA4klPetLGAFJE/ydgONhzxcee"
            + "AwA=")

    /// The same, lossy, with its transparency beside it.
    public static let transparentLossy = data(
        "UklGRtAAAABXRUJQVlA4WAoAAAAQAAAAXwAAPwAAQUxQSBkAAAABDzD/ERFCTdsGTPmT3gB6RvR/Ajgx"
            + "n/d8AFZQOCCQAAAAUAYAnQEqYABAAD7RWqZNKCUjoi1IAQAaCUAZOCFf4zbVt0T8jPxmr/wFTbfzjfqy"
            + "TIqhxHi4zGWcmwAA/us28rnKijJbR0G2+F4z2Q56Q+ZT2pql7eH7eH7f4Y1w6i0KtAgFtHsLf7xBFMe7"
            + "+xXod33r013XYJiM99/0tCYsx2nUtFsa9Dr2QUTzillByoAA")

    /// Stored on its side, with EXIF that says so (6), and with a camera, a date and a place.
    public static let turnedWebP = data(
        "UklGRmYBAABXRUJQVlA4WAoAAAAIAAAAPwAAXwAAVlA4IIIAAAAQBwCdASpAAGAAPrVUoUsnJSMhrVs4"
            + "AOAWiUAaPsTfyv8M9ls5X+Gf4gV/4DuPLnwaLDbXKFWJIuhLbZLwGOrB0AD+21BlL+LW6udYfwb5YXer"
            + "lswjjIdqAy+5MizwvTWYEm0Arc9vj88cu2fNuy+6q/lcZ04hljxbM6+q0G65cAAARVhJRr4AAABJSSoA"
            + "CAAAAAQAEAECAAYAAAA+AAAAEgEDAAEAAAAGAAAAMgECABQAAABEAAAAJYgEAAEAAABYAAAAAAAAAFBh"
            + "bm85ADIwMjY6MTE6MjMgMTQ6MDU6MDkABAABAAIAAgAAAE4AAAACAAUAAwAAAI4AAAADAAIAAgAAAEUA"
            + "AAAEAAUAAwAAAKYAAAAAAAAANAAAAAEAAAAfAAAAAQAAAAwAAAABAAAADQAAAAEAAAAYAAAAAQAAABIA"
            + "AAABAAAA")

    /// HEIC.
    public static let heic = data(
        "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAUJtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0"
            + "AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAFmAAEAAAAAAAAA"
            + "hwAAACNpaW5mAAAAAAABAAAAFWluZmUCAAAAAAEAAGh2YzEAAAAAwmlwcnAAAACkaXBjbwAAAHhodmND"
            + "AQNwAAAAAAAAAAAAHvAA/P34+AAADwMgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQCEAAQArQgEB"
            + "A3AAAAMAkAAAAwAAAwAeoDCBBZbqSSmubgQEDAgAAAMACAAAAwAIQCIAAQAHRAHBcrAiQAAAABRpc3Bl"
            + "AAAAAAAAAGAAAABAAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAoMAAACPbWRhdAAA"
            + "AIMoAa8TgOaocNP//iaUf/0654fp5JqqKMX9huP/sPl/8wBEHg9SalpdA4vl9iDxSE5CS0//1xgyP4Qn"
            + "v/sSYTNekR/0IlzY64414lAJpKAMWmWJFiKbXAWwSIxH1j+u0NA3BQ2uz6DMUuCzBSgcIeh/wNpUux+h"
            + "/3NNT0PRyynbKVSSwA==")

    /// HEIC of 96 × 64 that is to be shown a quarter turn clockwise.
    public static let turnedHEIC = data(
        "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAUxtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0"
            + "AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAFwAAEAAAAAAAAA"
            + "hwAAACNpaW5mAAAAAAABAAAAFWluZmUCAAAAAAEAAGh2YzEAAAAAzGlwcnAAAACtaXBjbwAAAHhodmND"
            + "AQNwAAAAAAAAAAAAHvAA/P34+AAADwMgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQCEAAQArQgEB"
            + "A3AAAAMAkAAAAwAAAwAeoDCBBZbqSSmubgQEDAgAAAMACAAAAwAIQCIAAQAHRAHBcrAiQAAAABRpc3Bl"
            + "AAAAAAAAAGAAAABAAAAAEHBpeGkAAAAAAwgICAAAAAlpcm90AwAAABdpcG1hAAAAAAAAAAEAAQSBAoOE"
            + "AAAAj21kYXQAAACDKAGvE4DmqHDT//4mlH/9OueH6eSaqijF/Ybj/7D5f/MARB4PUmpaXQOL5fYg8UhO"
            + "QktP/9cYMj+EJ7/7EmEzXpEf9CJc2OuONeJQCaSgDFpliRYim1wFsEiMR9Y/rtDQNwUNrs+gzFLgswUo"
            + "HCHof8DaVLsfof9zTU9D0csp2ylUksA=")

    /// HEIC of 64 × 96 whose EXIF says that it is turned, which does not count, and where it was taken.
    public static let heicWithEXIF = data(
        "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAYBtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0"
            + "AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAAAAABAAAANGlsb2MAAAAAREAAAgABAAAAAAGkAAEAAAAAAAAA"
            + "lgACAAAAAAI6AAEAAAAAAAAAwgAAADhpaW5mAAAAAAACAAAAFWluZmUCAAAAAAEAAGh2YzEAAAAAFWlu"
            + "ZmUCAAABAAIAAEV4aWYAAAAAv2lwcnAAAAChaXBjbwAAAHVodmNDAQNwAAAAAAAAAAAAHvAA/P34+AAA"
            + "DwMgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQCEAAQAoQgEBA3AAAAMAkAAAAwAAAwAeoCCBhZbq"
            + "SSmubAgAAAMACAAAAwAIQCIAAQAHRAHBcrAiQAAAABRpc3BlAAAAAAAAAEAAAABgAAAAEHBpeGkAAAAA"
            + "AwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAoMAAAAaaXJlZgAAAAAAAAAOY2RzYwACAAEAAQAAAWBtZGF0"
            + "AAAAkigBrxOA5qhw07/7wUf/6Smr/5s7dErfsnCKP4Joi/kTkx7LD6//tlL46323+dHxIaVOKtEuzj5d"
            + "dJsqoHYHkcGJ93ba4S3JkRl/qz3X0awdGNHxrL0vfv/z6MSe1Q/+yIV2UKUTjrrp8vs9/g/EeFqDEF/6"
            + "CxIz/uKL+7F6ecNQX+wvF6//udVwLLJgADAHfeCoAAAAAElJKgAIAAAABAAQAQIABgAAAD4AAAASAQMA"
            + "AQAAAAYAAAAyAQIAFAAAAEQAAAAliAQAAQAAAFgAAAAAAAAAUGFubzkAMjAyNjoxMToyMyAxNDowNTow"
            + "OQAEAAEAAgACAAAATgAAAAIABQADAAAAjgAAAAMAAgACAAAARQAAAAQABQADAAAApgAAAAAAAAA0AAAA"
            + "AQAAAB8AAAABAAAADAAAAAEAAAANAAAAAQAAABgAAAABAAAAEgAAAAEAAAA=")

    /// AVIF.
    public static let avif = data(
        "AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAA"
            + "cGljdAAAAAAAAAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAAB"
            + "AAABGgAAAHEAAAAoaWluZgAAAAAAAQAAABppbmZlAgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABL"
            + "aXBjbwAAABRpc3BlAAAAAAAAAGAAAABAAAAAEHBpeGkAAAAAAwgICAAAAAxhdjFDgSAAAAAAABNjb2xy"
            + "bmNseAABAA0ABoAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAAHltZGF0EgAKCTgZb/7CAhoNIDJiE8AE"
            + "kkkigLRe89oDTklkqxe12s43DlFgcRx4oD3Afb0okUF6mxad+FMslQnnRG549Zwnu6PZSrTiXhB5yeAd"
            + "HJwOnj8NtOYKxOQHwvwSBzWUIEz9d+cXN3TB+bFx1FCz17Y=")

    private static func data(_ base64: String) -> Data { Data(base64Encoded: base64) ?? Data() }
}
