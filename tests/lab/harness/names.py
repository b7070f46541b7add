"""What the ports of a DGX Spark are called. A cage has two rails; each rail has an RDMA device."""

from __future__ import annotations

MANAGEMENT = "enP7s7"


def netdev(cage: int, rail: int) -> str:
    return f"{('enp1s0', 'enP2p1s0')[rail]}f{cage}np{cage}"


def rdma_device(cage: int, rail: int) -> str:
    return f"{('rocep1s0', 'roceP2p1s0')[rail]}f{cage}"


ALL_NETDEVS = tuple(netdev(cage, rail) for cage in (0, 1) for rail in (0, 1))
ALL_RDMA_DEVICES = tuple(rdma_device(cage, rail) for cage in (0, 1) for rail in (0, 1))
