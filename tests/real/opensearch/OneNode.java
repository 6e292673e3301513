import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.index.reindex.ReindexPlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;

/** An OpenSearch node on free ports of the loopback; prints its HTTP address and ends with its standard input. */
class OneNode extends Node {
    OneNode(Environment environment) {
        super(environment, List.of(Netty4Plugin.class, ReindexPlugin.class), true);
    }

    public static void main(String[] arguments) throws Exception {
        Settings settings = Settings.builder()
            .put("path.home", Path.of(arguments[0]).toAbsolutePath().toString())
            .put("cluster.name", "tests")
            .put("network.host", "127.0.0.1")
            .put("http.port", "0")
            .put("transport.port", "0")
            .put("discovery.type", "single-node")
            .put("transport.type", Netty4Plugin.NETTY_TRANSPORT_NAME)
            .put("http.type", Netty4Plugin.NETTY_HTTP_TRANSPORT_NAME)
            .build();
        OneNode node = new OneNode(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "one"));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                node.close();
            } catch (java.io.IOException failed) {
                failed.printStackTrace();
            }
        }));
        node.start();
        System.out.println(node.injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress());
        while (System.in.read() >= 0) {
        }
        System.exit(0);
    }
}
