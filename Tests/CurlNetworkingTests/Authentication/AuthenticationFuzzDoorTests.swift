import CurlNetworkingFuzzing
import Foundation
import Testing

@testable import CurlNetworking

/// The doors for fuzzers, with a few thousand inputs that are always the same.
@Suite struct AuthenticationFuzzDoorTests {
    @Test(
        arguments: [
            "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", stale=true, Basic realm=x",
            "Digest realm=r, nonce=n, algorithm=SHA-256-sess, userhash=true, domain=\"/ //b\"",
            "nextnonce=\"x\", rspauth=\"0\"",
        ])
    func challengesAreSurvived(seed: String) {
        everyChange(of: Data(seed.utf8), AuthenticationFuzzing.challenges)
    }

    @Test func certificatesAreSurvived() {
        everyChange(of: Sample.der, AuthenticationFuzzing.certificate)
    }

    @Test(
        arguments: [
            #"{"url":"http://a/","originalURL":"http://a/","fields":[{"name":"A","value":"b"}],"entityTag":"\"v\"","byteCount":5,"fileName":"part-0123456789abcdef0123456789abcdef"}"#,
            #"{"location":"http://a/","byteCount":5}"#, "[]",
        ])
    func recordsAreSurvived(seed: String) {
        everyChange(of: Data(seed.utf8)) { bytes in
            ResumingFuzzing.resumeData(bytes)
            BackgroundFuzzing.journal(bytes)
            AuthenticationFuzzing.credentialFile(bytes)
        }
    }

    @Test func rangesAreSurvived() {
        everyChange(of: Data("bytes 0-9223372036854775806/*".utf8), ResumingFuzzing.contentRange)
        everyChange(of: Data("bytes 1-9223372036854775807/*".utf8), ResumingFuzzing.contentRange)
    }

    private func everyChange(of seed: Data, _ door: (UnsafeRawBufferPointer) -> Void) {
        for index in 0..<seed.count {
            var changed = Array(seed)
            for byte in [0x00, 0x22, 0x2C, 0x3D, 0x5C, 0x7B, 0xFF, changed[index] ^ 1] as [UInt8] {
                changed[index] = byte
                changed.withUnsafeBytes(door)
            }
            Array(seed.prefix(index)).withUnsafeBytes(door)
        }
    }
}
