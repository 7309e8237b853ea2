import Foundation

/// A certificate made by the `openssl` command: self-signed, number 1234, valid from 2020 to 2100, for
/// `localhost`, `*.club.test`, 127.0.0.1 and ::1, with a mail address among its names.
enum Sample {
    /// Made again each time: the bytes of a global `Data` are a leak to the Address Sanitizer.
    static var der: Data {
        Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data()
    }

    static let fingerprint =
        "43:98:E7:36:06:8E:BE:64:3B:C5:90:3A:62:C6:64:C9:"
        + "3E:51:30:9B:DA:E8:2C:91:DF:E2:1A:43:02:73:FA:A2"
    static let publicKeyPin = "noMZMkmaD4io5nm65yh5XuTvAP6FR+7HmLit6CjT1h8="

    private static let text = """
        MIIBuTCCAV6gAwIBAgICEjQwCgYIKoZIzj0EAwIwMDEaMBgGA1UECgwRSGF1cyAmIFPDtmhuZSwg
        S0cxEjAQBgNVBAMMCWxvY2FsaG9zdDAgFw0yMDAxMDEwMDAwMDBaGA8yMTAwMDEwMTAwMDAwMFow
        MDEaMBgGA1UECgwRSGF1cyAmIFPDtmhuZSwgS0cxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqG
        SM49AgEGCCqGSM49AwEHA0IABJ7SrAZ+5Pl5UYZThhcpZLCBeUgB2ldXC9AUwONKjv3GPQluTRzk
        iQiiqobDboLmffNURkyCDK5VoofFIh6EfOajZjBkMEMGA1UdEQQ8MDqCCWxvY2FsaG9zdIILKi5j
        bHViLnRlc3SHBH8AAAGHEAAAAAAAAAAAAAAAAAAAAAGBCGFAYi50ZXN0MB0GA1UdDgQWBBQwsQt9
        BOE6gIYlNJdQinIR2b1A5zAKBggqhkjOPQQDAgNJADBGAiEA0SinCRiODJ1gEB16Wp+r7V1vA+ON
        SQVgxJh21OK4MsMCIQD+eOa43v6CFgAdMqcWLLJ7k34TDeVSbZuejB5PTIx4DQ==
        """
}
