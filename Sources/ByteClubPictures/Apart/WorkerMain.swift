import CByteClubPictureLibraries
import CByteClubPictureWorker
import FoundationEssentials
import Glibc

/// The entry point of a worker, called by the constructor in `CByteClubPictureWorker`. One thread, no queue.
@_cdecl("byteclub_picture_worker_main")
func pictureWorkerMain(_ kind: byteclub_picture_kind) {
    var ready = byteclub_picture_reply(answering: BYTECLUB_PICTURE_READY)
    // No file can be opened afterwards. If a library is missing, decoding reports it.
    switch kind {
    case BYTECLUB_PICTURE_WEBP: _ = byteclub_webp_load()
    case BYTECLUB_PICTURE_HEIF: _ = byteclub_heif_load()
    case BYTECLUB_PICTURE_TIFF: _ = byteclub_tiff_load()
    case BYTECLUB_PICTURE_SIMPLE: _ = byteclub_stb_load()
    default: break
    }
    ready.byte_count = byteclub_picture_private_byte_count()
    // libde265, which decodes HEIC, always uses a thread.
    ready.code = byteclub_picture_confine(kind == BYTECLUB_PICTURE_HEIF)
    ready.send()
    while true {
        var request = byteclub_picture_request()
        var descriptors = [Int32](repeating: -1, count: Int(BYTECLUB_PICTURE_MAX_DESCRIPTORS))
        var count = Int32(descriptors.count)
        let byteCount = byteclub_picture_receive(
            Int32(BYTECLUB_PICTURE_SOCKET), &request, MemoryLayout.size(ofValue: request),
            &descriptors, &count)
        guard byteCount == MemoryLayout.size(ofValue: request), let task = PictureTask(request)
        else { _exit(byteCount == 0 ? 0 : 1) }
        let files = Array(descriptors.prefix(Int(count)))
        let turn = WorkerTurn(
            task: task, stripByteCount: Int(request.strip_byte_count), files: files)
        turn.answer().send()
        for file in files { close(file) }
        byteclub_picture_return_memory()
    }
}

/// The processing of one picture in a worker.
private struct WorkerTurn {
    let task: PictureTask
    let stripByteCount: Int
    /// The picture, the output file, scratch files.
    let files: [Int32]

    func answer() -> byteclub_picture_reply {
        if case .probe(let number) = task {
            var reply = byteclub_picture_reply(answering: BYTECLUB_PICTURE_DONE)
            reply.full_width = UInt32(bitPattern: byteclub_picture_run_probe(Int32(number)))
            return reply
        }
        do throws(PictureError) {
            return try run()
        } catch {
            var reply = byteclub_picture_reply(answering: BYTECLUB_PICTURE_FAILED)
            reply.code = PictureError.Code.allCases.firstIndex(of: error.code).map(UInt32.init) ?? 0
            reply.format = UInt32(error.format?.rawValue ?? 0)
            withUnsafeMutableBytes(of: &reply.detail) { space in
                space.copyBytes(from: (error.detail ?? "").utf8.prefix(space.count - 1))
            }
            return reply
        }
    }

    private func run() throws(PictureError) -> byteclub_picture_reply {
        guard files.count >= 2 else { throw error(.unreadable) }
        var source = PictureSource(.descriptor(files[0]), name: "picture")
        source.scratch = .given(Array(files.dropFirst(2)))
        let picture = PictureFile(source)
        var reply = byteclub_picture_reply(answering: BYTECLUB_PICTURE_DONE)
        switch task {
        case .pixels:
            let decoded = try picture.decode { task.size(of: $0) }
            reply.code = decoded.isDamaged ? 1 : 0
            reply.has_alpha = decoded.hasAlpha ? 1 : 0
            reply.set(size: decoded.image.size, fullSize: decoded.fullSize)
            reply.byte_count = try write(decoded.image.bytes)
        case .small(let format, _, _):
            try finish(&reply, with: picture.small(as: format) { task.size(of: $0) })
        case .embedded(let box, let mode, let quality):
            let header = try JPEGFile(source).header()
            try finish(
                &reply,
                with: Thumbnail.embedded(in: header, fitting: box, mode: mode, quality: quality))
        case .reencoding(let quality, let keepsLocation):
            let reencoder = PhotoReencoder(quality: quality, keepsLocation: keepsLocation)
            let (byteCount, size) = try reencoder.write(
                picture, to: files[1],
                progress: { fraction in
                    var reply = byteclub_picture_reply(answering: BYTECLUB_PICTURE_PROGRESS)
                    reply.fraction = fraction
                    reply.send()
                })
            reply.set(size: size, fullSize: size)
            reply.byte_count = UInt64(byteCount)
        case .part(let part):
            let decoded = try JPEGFile(source).decode(part)
            reply.set(size: decoded.image.size, fullSize: decoded.header.size)
            reply.byte_count = try write(decoded.image.bytes)
        case .details:
            let details = try picture.details()
            reply.set(size: PixelSize(width: 1, height: 1), fullSize: details.size)
            reply.byte_count = try write(Array(details.encoded.utf8))
        case .probe: break
        }
        return reply
    }

    private func finish(
        _ reply: inout byteclub_picture_reply, with small: Thumbnail
    ) throws(PictureError) {
        reply.set(size: small.size, fullSize: small.fullSize)
        reply.byte_count = try write(small.data)
    }

    /// Writes the result to the strip.
    private func write(_ result: some ContiguousBytes) throws(PictureError) -> UInt64 {
        let outcome = result.withUnsafeBytes { bytes -> Result<UInt64, PictureError> in
            guard bytes.count <= stripByteCount, let start = bytes.baseAddress else {
                return .failure(error(.tooLarge, "result"))
            }
            let strip = mmap(nil, bytes.count, PROT_READ | PROT_WRITE, MAP_SHARED, files[1], 0)
            guard let strip, strip != MAP_FAILED else { return .failure(error(.outOfMemory)) }
            memcpy(strip, start, bytes.count)
            munmap(strip, bytes.count)
            return .success(UInt64(bytes.count))
        }
        return try outcome.get()
    }

    private func error(_ code: PictureError.Code, _ detail: String? = nil) -> PictureError {
        PictureError(code, operation: "", detail: detail)
    }
}

extension byteclub_picture_reply {
    init(answering answer: byteclub_picture_answer) {
        self.init()
        self.answer = answer.rawValue
    }

    fileprivate mutating func set(size: PixelSize, fullSize: PixelSize) {
        (width, height) = (UInt32(size.width), UInt32(size.height))
        (full_width, full_height) = (UInt32(fullSize.width), UInt32(fullSize.height))
    }

    /// Sends it to the program; if that is gone, there is nothing left to do.
    fileprivate func send() {
        var message = self
        let code = byteclub_picture_send(
            Int32(BYTECLUB_PICTURE_SOCKET), &message, MemoryLayout.size(ofValue: message), nil, 0)
        if code != 0 { _exit(1) }
    }
}
