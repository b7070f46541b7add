#include "config/yaml/job_variables.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.hpp"

namespace spark::config {
namespace {

/// topoPathTypeStr of NCCL's src/graph/topo.cc, which ncclGetLevel compares as they are written.
constexpr std::string_view kPathLevels = "LOC,NVL,NVB,C2C,PIX,PXB,P2C,PXN,PHB,SYS";

constexpr JobVariable integer(std::string_view name, std::string_view note, std::int64_t min,
                              std::int64_t max, std::string_view example,
                              std::string_view words = {}) {
  return {name, VariableType::kInteger, note, words, min, max, example};
}

/// NCCL: docs/userguide/source/env.rst of NVIDIA/nccl at 2.32, with names and bounds of 2.12 on;
/// src/debug.cc, src/graph/tuning.cc and src/transport/net_ib/connect.cc. Traffic class, service
/// level, retry count, timeout and GID index are as wide as in ibv_qp_attr (ibv_modify_qp(3)).
/// UCX: src/ucp/core/ucp_context.c, src/uct/ib/base/ib_iface.c, src/ucs/debug/log.c. Open MPI 4:
/// mpirun(1) and the names of its components. NCCL_MESH_GID_INDEX: src/mesh_plugin.c of
/// nccl-mesh-plugin, -1 added. docs/reference/environment.md has who reads NCCL_SKIP_TREE_CONNECT.
/// Where a source is silent, more is taken rather than less.
constexpr auto kJobVariables = [] {
  using enum VariableType;
  constexpr auto kNoMost = JobVariable::kNoMost;
  return std::array{
      JobVariable{"GLOO_SOCKET_IFNAME", kInterfaceNames,
                  "interface of PyTorch's Gloo, which wants one"},
      JobVariable{"NCCL_ALGO", kWordsByFunction, "algorithms of collectives",
                  "Ring,Tree,CollnetDirect,CollnetChain,Collnet,NVLS,NVLSTree,PAT"},
      JobVariable{"NCCL_ALLOC_P2P_NET_LL_BUFFERS", kFlag,
                  "buffers of their own for short sends over the network"},
      integer("NCCL_BUFFSIZE", "bytes of the buffer between two GPUs", 1, kNoMost, "4194304"),
      integer("NCCL_CGA_CLUSTER_SIZE", "size of a cluster of thread blocks", 0, 8, "4"),
      JobVariable{"NCCL_CHECK_POINTERS", kFlag, "checks the pointers of each call"},
      JobVariable{"NCCL_COLLNET_ENABLE", kFlag, "uses a plugin for collectives in the network"},
      JobVariable{"NCCL_COMM_BLOCKING", kFlag, "1: calls wait; 0: they return at once"},
      JobVariable{"NCCL_COMM_ID", kAddressPort,
                  "where the ranks meet, in place of an id that one of them makes"},
      integer("NCCL_CROSS_NIC", "whether a ring of ranks may change the rail between nodes", 0, 2,
              "0"),
      JobVariable{"NCCL_CUMEM_ENABLE", kFlag, "allocates by cuMem functions"},
      JobVariable{"NCCL_CUMEM_HOST_ENABLE", kFlag,
                  "allocates memory of the host by cuMem functions"},
      JobVariable{"NCCL_DEBUG", kAnyCaseWord, "what NCCL logs",
                  "INFO,WARN,VERSION,TRACE,ABORT,ATTN"},
      JobVariable{"NCCL_DEBUG_LEVELS", kWords,
                  "levels beside that of NCCL_DEBUG, from NCCL 2.32 on",
                  "WARN,ATTN,VERSION,INFO,ABORT,TRACE,ALL"},
      JobVariable{"NCCL_DEBUG_SUBSYS", kWords, "parts that log at INFO",
                  "INIT,NET,ENV,COLL,P2P,SHM,GRAPH,TUNING,ALLOC,ALLOC_HOST,CALL,PROXY,NVLS,"
                  "BOOTSTRAP,REG,PROFILE,RAS,DESTROY,ALL"},
      JobVariable{"NCCL_DEBUG_TIMESTAMP_LEVELS", kWords, "levels whose lines have a time",
                  "WARN,INFO,VERSION,ATTN,ABORT,TRACE,ALL"},
      JobVariable{"NCCL_DMABUF_ENABLE", kFlag,
                  "GPUDirect RDMA by dma-buf, which GB10 does not have"},
      JobVariable{"NCCL_GDRCOPY_ENABLE", kFlag, "uses GDRCopy"},
      JobVariable{"NCCL_GIN_ENABLE", kFlag, "networking that the GPU starts"},
      JobVariable{"NCCL_GRAPH_MIXING_SUPPORT", kFlag, "calls beside those of a CUDA graph"},
      JobVariable{"NCCL_GRAPH_REGISTER", kFlag, "registers the buffers of CUDA graphs"},
      JobVariable{"NCCL_IB_ADAPTIVE_ROUTING", kFlag, "adaptive routing"},
      JobVariable{"NCCL_IB_ADDR_FAMILY", kWord, "family of the GID that NCCL looks for",
                  "AF_INET,AF_INET6"},
      JobVariable{"NCCL_IB_ADDR_RANGE", kNetwork, "network of the GID that NCCL looks for"},
      integer("NCCL_IB_AR_THRESHOLD", "bytes from which adaptive routing is used", 0, kNoMost,
              "8192"),
      JobVariable{"NCCL_IB_DISABLE", kFlag, "1: no RDMA"},
      JobVariable{"NCCL_IB_ECE_ENABLE", kFlag, "enhanced connection establishment"},
      integer("NCCL_IB_FIFO_TC", "traffic class of control messages; -1: as NCCL_IB_TC", -1, 255,
              "106"),
      integer("NCCL_IB_GID_INDEX", "index of the GID on all devices; -1: NCCL looks for it", -1,
              255, "-1"),
      JobVariable{"NCCL_IB_HCA", kRdmaDevices,
                  "RDMA devices; without '=' each is the beginning of names"},
      JobVariable{"NCCL_IB_MERGE_NICS", kFlag, "takes both ports of a card for one device"},
      integer("NCCL_IB_PCI_RELAXED_ORDERING", "relaxed ordering; 2: where it is there", 0, 2, "2"),
      integer("NCCL_IB_PKEY", "index of the partition key", 0, 65535, "0"),
      integer("NCCL_IB_QPS_PER_CONNECTION", "queue pairs for each connection", 1, 128, "4"),
      integer("NCCL_IB_RETRY_CNT", "how often a packet is sent again", 0, 7, "7"),
      JobVariable{"NCCL_IB_RETURN_ASYNC_EVENTS", kFlag,
                  "ends the job on a fatal event of a device"},
      integer("NCCL_IB_ROCE_VERSION_NUM", "version of RoCE of the GID that NCCL looks for", 1, 2,
              "2"),
      integer("NCCL_IB_SL", "service level; -1: the default", -1, 15, "3"),
      JobVariable{"NCCL_IB_SPLIT_DATA_ON_QPS", kFlag, "splits each message over the queue pairs"},
      JobVariable{"NCCL_IB_SUBNET_AWARE_ROUTING", kFlag,
                  "takes the device whose subnet is the peer's"},
      integer("NCCL_IB_SUBNET_PREFIX_LEN", "length by which subnets differ, in bits", 1, 128, "24"),
      integer("NCCL_IB_TC", "traffic class; -1: the default", -1, 255, "106"),
      integer("NCCL_IB_TIMEOUT",
              "wait for an answer: 4.096 µs times 2 to the power of it; 0: forever", 0, 31, "22"),
      JobVariable{"NCCL_IB_USE_INLINE", kFlag, "sends short messages inline"},
      JobVariable{"NCCL_IGNORE_CPU_AFFINITY", kFlag, "goes by the affinity of the GPU alone"},
      JobVariable{"NCCL_LAUNCH_MODE", kAnyCaseWord, "how kernels are launched", "PARALLEL,GROUP"},
      JobVariable{"NCCL_LAUNCH_ORDER_IMPLICIT", kFlag,
                  "orders calls of several communicators as the program does"},
      JobVariable{"NCCL_LEGACY_CUDA_REGISTER", kFlag, "registers buffers of cudaMalloc"},
      JobVariable{"NCCL_LOCAL_REGISTER", kFlag, "registers the buffers that a job names"},
      integer("NCCL_MAX_CTAS", "most thread blocks", 1, 64, "16"),
      integer("NCCL_MAX_NCHANNELS", "most channels", 1, kNoMost, "8"),
      integer("NCCL_MAX_NRINGS", "older name of NCCL_MAX_NCHANNELS", 1, kNoMost, "8"),
      integer("NCCL_MAX_P2P_NCHANNELS", "most channels for send and receive", 1, kNoMost, "8"),
      integer("NCCL_MESH_GID_INDEX", "index of the GID for the plugin nccl-mesh-plugin", -1, 255,
              "3"),
      integer("NCCL_MIN_CTAS", "fewest thread blocks", 1, 64, "4"),
      integer("NCCL_MIN_NCHANNELS", "fewest channels", 1, kNoMost, "4"),
      integer("NCCL_MIN_NRINGS", "older name of NCCL_MIN_NCHANNELS", 1, kNoMost, "4"),
      integer("NCCL_MIN_P2P_NCHANNELS", "fewest channels for send and receive", 1, kNoMost, "4"),
      integer("NCCL_MNNVL_ENABLE", "NVLink between nodes; 2: where it is there", 0, 2, "0"),
      integer("NCCL_NCHANNELS_PER_NET_PEER", "channels to each peer over the network", 1, kNoMost,
              "2"),
      JobVariable{"NCCL_NET", kPluginName,
                  "network: IB for RDMA, Socket for TCP, or that of a plugin", "IB,Socket"},
      JobVariable{"NCCL_NET_GDR_C2C", kFlag, "GPUDirect RDMA by C2C, which GB10 does not have"},
      integer("NCCL_NET_GDR_LEVEL", "how far GPUDirect RDMA goes, which GB10 does not have", 0,
              kNoMost, "LOC", kPathLevels),
      JobVariable{"NCCL_NET_GDR_READ", kFlag, "GPUDirect RDMA to send, which GB10 does not have"},
      integer("NCCL_NET_MERGE_LEVEL", "how far apart ports may be that are taken for one device", 0,
              kNoMost, "PHB", kPathLevels),
      JobVariable{"NCCL_NET_PLUGIN", kPluginName,
                  "network plugin: mesh stands for libnccl-net-mesh.so", "none"},
      JobVariable{"NCCL_NET_SHARED_BUFFERS", kFlag, "one pool of buffers for all peers"},
      JobVariable{"NCCL_NET_SHARED_COMMS", kFlag, "shares connections"},
      integer("NCCL_NSOCKS_PERTHREAD", "sockets for each thread, over TCP", 1, 64, "4"),
      integer("NCCL_NTHREADS", "CUDA threads of a block", 32, 1024, "256"),
      JobVariable{"NCCL_NVB_DISABLE", kFlag, "1: no NVLink by way of another GPU"},
      integer("NCCL_NVLS_ENABLE", "NVLink SHARP; 2: where it is there", 0, 2, "0"),
      JobVariable{"NCCL_OOB_NET_ENABLE", kFlag, "bootstrap over the network of the data"},
      JobVariable{"NCCL_P2P_DIRECT_DISABLE", kFlag,
                  "1: no direct access to buffers of another GPU"},
      JobVariable{"NCCL_P2P_DISABLE", kFlag, "1: no direct access between GPUs"},
      integer("NCCL_P2P_LEVEL", "how far direct access between GPUs goes", 0, kNoMost, "PHB",
              kPathLevels),
      integer("NCCL_P2P_LL_THRESHOLD", "bytes up to which send and receive use LL", 0, kNoMost,
              "16384"),
      integer("NCCL_P2P_NET_CHUNKSIZE", "bytes of a message of send and receive", 1, kNoMost,
              "131072"),
      integer("NCCL_P2P_PXN_LEVEL", "when sends go by another GPU of the node", 0, 2, "2"),
      JobVariable{"NCCL_PROFILER_PLUGIN", kPluginName, "profiler plugin, as NCCL_NET_PLUGIN",
                  "none"},
      JobVariable{"NCCL_PROTO", kWordsByFunction, "protocols of collectives", "Simple,LL,LL128"},
      JobVariable{"NCCL_PXN_C2C", kFlag, "sends by another GPU that C2C joins"},
      JobVariable{"NCCL_PXN_DISABLE", kFlag, "1: no sends by another GPU of the node"},
      JobVariable{"NCCL_RAS_ADDR", kAddressPort, "where NCCL answers questions about a job"},
      JobVariable{"NCCL_RAS_ENABLE", kFlag, "0: NCCL answers no questions about a job"},
      JobVariable{"NCCL_RUNTIME_CONNECT", kFlag, "connects peers when they are needed"},
      JobVariable{"NCCL_SET_STACK_SIZE", kFlag, "sets the size of the CUDA stack"},
      JobVariable{"NCCL_SET_THREAD_NAME", kFlag, "names its threads"},
      JobVariable{"NCCL_SHM_DISABLE", kFlag, "1: no shared memory"},
      JobVariable{"NCCL_SKIP_TREE_CONNECT", kFlag, "connects no trees, in a patched NCCL"},
      JobVariable{"NCCL_SOCKET_FAMILY", kWord, "family of sockets", "AF_INET,AF_INET6"},
      JobVariable{
          "NCCL_SOCKET_IFNAME", kInterfaces,
          "interfaces of sockets, bootstrap too; without '=' each is the beginning of names"},
      integer("NCCL_SOCKET_NTHREADS", "threads for each connection, over TCP", 1, 16, "4"),
      integer("NCCL_SOCKET_RETRY_CNT", "how often a connection is tried again", 0, kNoMost, "34"),
      integer("NCCL_SOCKET_RETRY_SLEEP_MSEC", "milliseconds before a connection is tried again", 0,
              kNoMost, "100"),
      JobVariable{"NCCL_SWITCHLESS_RING_ONLY", kFlag, "connects no trees, in a patched NCCL"},
      JobVariable{"NCCL_TUNER_PLUGIN", kPluginName, "tuner plugin, as NCCL_NET_PLUGIN", "none"},
      JobVariable{"NCCL_WIN_ENABLE", kFlag, "registers windows of memory"},
      JobVariable{"OMPI_ALLOW_RUN_AS_ROOT", kFlag, "lets mpirun start as root, as in a container"},
      JobVariable{"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", kFlag,
                  "lets mpirun start as root, which asks for both"},
      JobVariable{"OMPI_MCA_btl", kWords, "transports of Open MPI's own",
                  "self,vader,sm,tcp,ofi,openib,smcuda,uct,ugni,usnic"},
      JobVariable{"OMPI_MCA_btl_tcp_if_exclude", kInterfacesOrNetworks,
                  "what data over TCP does not use"},
      JobVariable{"OMPI_MCA_btl_tcp_if_include", kInterfacesOrNetworks, "what data over TCP uses"},
      JobVariable{"OMPI_MCA_oob_tcp_if_exclude", kInterfacesOrNetworks,
                  "what messages of Open MPI 4 itself do not use"},
      JobVariable{"OMPI_MCA_oob_tcp_if_include", kInterfacesOrNetworks,
                  "what messages of Open MPI 4 itself use"},
      JobVariable{"OMPI_MCA_pml", kWords, "layer that sends messages",
                  "ob1,ucx,cm,monitoring,yalla"},
      JobVariable{"TP_SOCKET_IFNAME", kInterfaceNames, "interface of PyTorch's RPC"},
      integer("UCX_IB_GID_INDEX", "index of the GID on all devices; auto: UCX looks for it", 0, 255,
              "auto", "auto"),
      JobVariable{"UCX_IB_ROCE_LOCAL_SUBNET", kYesNo,
                  "UCX to 1.18: reaches only addresses of the rail's own subnet"},
      JobVariable{"UCX_IB_ROCE_REACHABILITY_MODE", kAnyCaseWord,
                  "UCX from 1.19 on: which addresses a rail reaches", "route,local_subnet,all"},
      integer("UCX_IB_SL", "service level", 0, 15, "3", "auto"),
      integer("UCX_IB_TRAFFIC_CLASS", "traffic class", 0, 255, "106", "auto"),
      JobVariable{"UCX_LOG_LEVEL", kAnyCaseWord, "what UCX logs",
                  "warn,info,diag,debug,error,fatal,trace,req,data,async,func,poll"},
      integer("UCX_MAX_EAGER_RAILS", "rails for one short message", 1, kNoMost, "2"),
      integer("UCX_MAX_RNDV_RAILS", "rails for one long message", 1, kNoMost, "2"),
      JobVariable{"UCX_MEMTYPE_CACHE", kYesNo, "remembers which memory is the GPU's", "try"},
      JobVariable{"UCX_NET_DEVICES", kUcxDevices,
                  "RDMA devices with their port; an interface selects TCP"},
      JobVariable{"UCX_TLS", kWords, "transports of UCX",
                  "rc,sm,all,self,tcp,ib,ud,dc,rc_v,rc_x,rc_verbs,rc_mlx5,ud_v,ud_x,ud_verbs,ud_"
                  "mlx5,dc_x,dc_mlx5,shm,mm,posix,sysv,xpmem,cma,knem,cuda,cuda_copy,cuda_ipc,gdr_"
                  "copy,gga,srd,rdmacm,sockcm"},
      JobVariable{"UCX_WARN_UNUSED_ENV_VARS", kYesNo, "warns of variables that UCX does not read"},
      JobVariable{"VLLM_HOST_IP", kAddress,
                  "address by which the other nodes of vLLM reach this one"},
      JobVariable{"VLLM_LOGGING_LEVEL", kAnyCaseWord, "what vLLM logs",
                  "INFO,DEBUG,WARNING,ERROR,CRITICAL,WARN,FATAL"},
  };
}();
static_assert(std::ranges::is_sorted(kJobVariables, {}, &JobVariable::name));

/// NCCL 2.28 to 2.32 read none of them.
constexpr std::array kDeadVariables{
    DeadVariable{"NCCL_MERGE_LEVEL", "the name is NCCL_NET_MERGE_LEVEL"},
    DeadVariable{"NCCL_MODE",
                 "a guide's own script does; here it is 'mode' under 'nccl', safe or performance"},
    DeadVariable{"NCCL_NCHANNELS", "use NCCL_MIN_NCHANNELS and NCCL_MAX_NCHANNELS"},
    DeadVariable{
        "NCCL_TIMEOUT",
        "NCCL_IB_TIMEOUT is the one for RDMA; how long a job waits is set in its framework"},
};

/// Open MPI's parameters of its loader say where its plugins lie and which other variables a job
/// gets.
constexpr std::string_view kOfOpenMpi = "ompi_mca_mca_";
/// By such names Open MPI, NCCL, UCX or vLLM start a program, load a library, write a file, or take
/// what they get from the network for code.
constexpr std::array<std::string_view, 13> kCodeEndings{
    "_agent",    "_args", "_command", "_dir",  "_file",          "_home", "_key",
    "_launcher", "_path", "_plugins", "_root", "_serialization", "_token"};

}  // namespace

std::span<const JobVariable> job_variables() { return kJobVariables; }

const JobVariable* find_job_variable(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(kJobVariables, name, {}, &JobVariable::name);
  return found != kJobVariables.end() && found->name == name ? found : nullptr;
}

std::span<const DeadVariable> dead_variables() { return kDeadVariables; }

std::span<const std::string_view> code_endings() { return kCodeEndings; }

bool runs_code(std::string_view name) {
  const auto lower = ascii_lower(name);
  return lower.starts_with(kOfOpenMpi) ||
         std::ranges::any_of(kCodeEndings,
                             [&](std::string_view end) { return lower.ends_with(end); });
}

}  // namespace spark::config
