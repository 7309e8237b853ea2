import Glibc

/// What the configurations of all servers of nginx here have in common.
enum NginxConfiguration {
    /// One process that logs to standard error and writes below its home.
    ///
    /// - Parameters:
    ///   - home: Has a folder `temporary`.
    ///   - module: The path of a module to load.
    ///   - http: What goes into the block `http`.
    static func make(home: String, module: String? = nil, http: String) -> String {
        """
        \(module.map { "load_module \($0);" } ?? "")
        daemon off;
        master_process off;
        \(getuid() == 0 ? "user root;" : "")
        pid \(home)/pid;
        error_log stderr notice;
        events {}
        http {
        access_log off;
        client_body_temp_path \(home)/temporary/body;
        proxy_temp_path \(home)/temporary/proxy;
        fastcgi_temp_path \(home)/temporary/fastcgi;
        uwsgi_temp_path \(home)/temporary/uwsgi;
        scgi_temp_path \(home)/temporary/scgi;
        client_max_body_size 0;
        \(http)
        }
        """
    }
}
