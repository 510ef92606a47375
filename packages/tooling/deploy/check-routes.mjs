/**
 * The ports of backends must exist. Rules for native gRPC must lead to the HTTP/2 port, on which the gateway serves only
 * RPC and probes, and no other rules may.
 */
export function problemsOfRoutes(objects) {
  const all = (...kinds) => objects.filter(({ kind }) => kinds.includes(kind))
  return all('HTTPRoute', 'GRPCRoute').flatMap(({ kind, metadata, spec }) => {
    const backends = spec.rules.flatMap(({ matches = [], backendRefs }) =>
      backendRefs.map((to) => ({ ...to, matches })),
    )
    return backends.flatMap(({ name, port, matches }) => {
      const where = `${kind} ${metadata.name}: leads`
      const service = all('Service').find((each) => each.metadata.name === name)
      const target = service?.spec.ports.find((each) => each.port === port)
      if (!target) return [`${where} to ${name}:${port}, which does not exist`]
      const isHttp2 = target.appProtocol === 'kubernetes.io/h2c'
      const isGrpc = kind === 'GRPCRoute' || (matches.length > 0 && matches.every(isOfGrpc))
      if (isHttp2 === isGrpc) return []
      return [
        isGrpc
          ? `${where} gRPC to ${name}:${port}, which does not serve HTTP/2`
          : `${where} other requests than gRPC to ${name}:${port}`,
      ]
    })
  })
}

const isOfGrpc = ({ headers = [] }) =>
  headers.some(({ name, value }) => name === 'content-type' && /^application\/grpc(\+|$)/.test(value))
