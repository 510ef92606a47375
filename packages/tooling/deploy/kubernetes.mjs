const packages = {
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
}

export async function problemsOfObject(object) {
  const name = `${object.kind} ${object.metadata?.name}`
  const models = packages[object.apiVersion.split('/')[0]] ?? 'kubernetes-models'
  const type = await import(`${models}/${object.apiVersion}/${object.kind}`).catch(() => undefined)
  if (!type) return [`${name}: unknown kind ${object.apiVersion}/${object.kind}`]
  // The compiled validators read only the keys that they know, so a key that was never read is unknown.
  const read = new Set()
  try {
    type[object.kind].prototype.validate.call(recordReads(object, '', read))
  } catch (error) {
    return [`${name}: ${error.message}`]
  }
  return unknownKeys(object, '', read).map((path) => `${name}: unknown key ${path.slice(1)}`)
}

function recordReads(value, path, read) {
  if (typeof value !== 'object' || value === null) return value
  return new Proxy(value, {
    get(target, key) {
      if (typeof key === 'string') read.add(`${path}.${key}`)
      return recordReads(target[key], `${path}.${String(key)}`, read)
    },
  })
}

function unknownKeys(value, path, read) {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = `${path}.${key}`
    return read.has(at) ? unknownKeys(inner, at, read) : [at]
  })
}
