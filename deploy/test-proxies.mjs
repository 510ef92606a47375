// Checks whether the gateways know the proxies in front of them: sends requests through the proxies, and compares the metrics
// of the processes before and after.
//   node test-proxies.mjs https://chat.example.org http://parley-internal:9090
import { lookup } from 'node:dns/promises'

const usage = 'Usage: test-proxies.mjs <public URL> <URL of the internal port of every process>'
const [, , publicUrl, internalUrl] = process.argv
if (publicUrl === '--help') {
  console.log(usage)
  process.exit(0)
}
if (!publicUrl || !internalUrl) {
  console.error(usage)
  process.exit(2)
}
const counter = /^parley_gateway_untrusted_proxy_requests_total(?:\{[^}]*\})? (\d+)/gm
/** Number of requests to send: enough that each of several gateways most likely gets one. */
const requests = 50

/** The metrics of every process to which the name of the internal port resolves. */
async function metrics() {
  const { protocol, hostname, port } = new URL(internalUrl)
  const found = await lookup(hostname, { all: true })
  const hosts = found.map(({ address, family }) => (family === 6 ? `[${address}]` : address))
  return await Promise.all(
    hosts.map(async (host) => {
      const answer = await fetch(`${protocol}//${host}:${port}/metrics`, { signal: AbortSignal.timeout(10_000) })
      if (!answer.ok) throw new Error(`${host} answers ${answer.status}`)
      return await answer.text()
    }),
  )
}

/** Number of requests that came through a proxy unknown to the gateway. */
async function untrustedRequests() {
  const counts = (await metrics()).flatMap((text) => [...text.matchAll(counter)].map(([, count]) => Number(count)))
  return counts.reduce((sum, count) => sum + count, 0)
}

try {
  const before = await untrustedRequests()
  for (let i = 0; i < requests; i++) {
    const answer = await fetch(new URL('/api/server', publicUrl), { signal: AbortSignal.timeout(10_000) })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`${publicUrl} answers ${answer.status}`)
  }
  if ((await untrustedRequests()) > before) {
    console.error(
      'requests come through a proxy that the gateway does not trust: everybody behind it counts as one client.',
    )
    console.error('Add its network to ingress.trustedProxies or gatewayApi.trustedProxies (webserver.trusted_proxies).')
    process.exit(1)
  }
  console.log(`${requests} requests through ${publicUrl}: the gateways trust every proxy in front of them`)
} catch (error) {
  console.error(error instanceof Error ? `${error.message}${error.cause ? `: ${error.cause.message}` : ''}` : error)
  process.exit(1)
}
