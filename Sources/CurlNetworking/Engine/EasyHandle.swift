import CCurl

/// One libcurl transfer: a handle that is configured, run by the multi handle, and used again.
///
/// Keeps alive what libcurl only points to: the list of header lines and the text of the error.
final class EasyHandle {
    let raw: UnsafeMutableRawPointer
    private var headerLines: UnsafeMutablePointer<curl_slist>?
    private var proxyHeaderLines: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>

    /// - Parameter share: What it has in common with others: TLS sessions. Outlives the handle.
    init?(share: UnsafeMutableRawPointer? = nil) {
        guard let raw = curl_easy_init() else { return nil }
        self.raw = raw
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        set(CURLOPT_ERRORBUFFER, pointer: errorText)
        if let share { check(byteclub_easy_set_share(raw, share), CURLOPT_SHARE) }
    }

    deinit {
        curl_easy_cleanup(raw)
        byteclub_list_erase(headerLines)
        byteclub_list_erase(proxyHeaderLines)
        errorText.deallocate()
    }

    /// Forgets the last transfer; live connections stay with the multi handle.
    func reset() {
        curl_easy_reset(raw)
        byteclub_list_erase(headerLines)
        headerLines = nil
        byteclub_list_erase(proxyHeaderLines)
        proxyHeaderLines = nil
        errorText[0] = 0
        set(CURLOPT_ERRORBUFFER, pointer: errorText)
    }

    /// What libcurl has to say of a failure.
    var message: String? {
        errorText[0] == 0 ? nil : String(cString: errorText)
    }

    // MARK: - Options

    func set(_ option: CURLoption, _ value: Int) {
        check(byteclub_easy_set_long(raw, option, value), option)
    }

    func set(_ option: CURLoption, offset value: Int64) {
        check(byteclub_easy_set_offset(raw, option, curl_off_t(value)), option)
    }

    /// libcurl copies the text.
    func set(_ option: CURLoption, _ value: String?) {
        check(byteclub_easy_set_string(raw, option, value), option)
    }

    func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer?) {
        check(byteclub_easy_set_pointer(raw, option, value), option)
    }

    func set(_ option: CURLoption, callback: @escaping byteclub_bytes_callback) {
        check(byteclub_easy_set_bytes_callback(raw, option, callback), option)
    }

    /// Lines for a proxy alone; the others are then for the server alone.
    func setProxyHeaderLines(_ lines: [String]) {
        for line in lines {
            guard let longer = curl_slist_append(proxyHeaderLines, line) else { continue }
            proxyHeaderLines = longer
        }
        check(
            byteclub_easy_set_list(raw, CURLOPT_PROXYHEADER, proxyHeaderLines), CURLOPT_PROXYHEADER)
        set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    }

    func setHeaderLines(_ lines: [String]) {
        for line in lines {
            guard let longer = curl_slist_append(headerLines, line) else { continue }
            headerLines = longer
        }
        check(byteclub_easy_set_list(raw, CURLOPT_HTTPHEADER, headerLines), CURLOPT_HTTPHEADER)
    }

    /// Every option is known to the oldest libcurl we run on, and every value is ours.
    private func check(_ code: CURLcode, _ option: CURLoption) {
        assert(code == CURLE_OK, "libcurl refused option \(option.rawValue) with \(code.rawValue)")
    }

    // MARK: - Facts and control

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        byteclub_easy_get_long(raw, info, &value)
        return value
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        byteclub_easy_get_offset(raw, info, &value)
        return Int64(value)
    }

    func text(_ info: CURLINFO) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        byteclub_easy_get_pointer(raw, info, &value)
        return value.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Without effect before there is a connection.
    func pause(receiving: Bool, sending: Bool) {
        let mask = (receiving ? CURLPAUSE_RECV : 0) | (sending ? CURLPAUSE_SEND : 0)
        curl_easy_pause(raw, mask)
    }
}
