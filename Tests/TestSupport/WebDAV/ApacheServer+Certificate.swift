extension ApacheServer {
    /// The SHA-256 of the key of ``certificate``, as curl writes it.
    public static let keyFingerprint = "sha256//b2oTFcTsdSXLnhhtYtcAeclDVqIH7oIwpuRbjHWt7Kc="

    /// Self-signed, for 127.0.0.1, valid for a hundred years.
    public static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBmDCCAT+gAwIBAgIUde1XMsx0TJ4l+FZkh/MhzE+XQDYwCgYIKoZIzj0EAwIw
        EzERMA8GA1UEAwwIVGhlIENsdWIwIBcNMjYxMTIyMDAzNjM4WhgPMjEyNjEwMjkw
        MDM2MzhaMBMxETAPBgNVBAMMCFRoZSBDbHViMFkwEwYHKoZIzj0CAQYIKoZIzj0D
        AQcDQgAEDrUbq9Z+BLnXzmYFIkacizhn33UzGeWLyTSLnATk3PkRN1bvipLJkaxf
        bBxYovqNNAM2B858GcM6gAOHoNaWs6NvMG0wHQYDVR0OBBYEFLL+SQMnn+RVMPzk
        qlsqdaTJBFMPMB8GA1UdIwQYMBaAFLL+SQMnn+RVMPzkqlsqdaTJBFMPMA8GA1Ud
        EwEB/wQFMAMBAf8wGgYDVR0RBBMwEYcEfwAAAYIJbG9jYWxob3N0MAoGCCqGSM49
        BAMCA0cAMEQCIHRLGBcwNImKgxdAG/2cPWIeSGqEe7oGzjaEIccKuEm0AiALcQ9v
        a5c2at4wCFMazTcy6cJ6ptfUKiKnIl+apTGUZg==
        -----END CERTIFICATE-----
        """

    /// Used only in tests.
    static let certificateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghaZKsjSK909HWIY1
        w5uqL3EYfDBmarDvqrGewJ7sPnShRANCAAQOtRur1n4EudfOZgUiRpyLOGffdTMZ
        5YvJNIucBOTc+RE3Vu+KksmRrF9sHFii+o00AzYHznwZwzqAA4eg1paz
        -----END PRIVATE KEY-----
        """
}
