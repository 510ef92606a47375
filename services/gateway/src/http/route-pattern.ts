import { jsonRoutes } from './auth/routes.ts'
import { iconPaths } from './icons.ts'
import { pageRoutes } from './pages/routes.ts'
import { providerPath } from './providers/paths.ts'

const exact = new Set(['/healthz', '/readyz', '/api/server', '/api/graphql', '/api/realtime', '/oauth/token'])
const prefixes = ['/assets/', '/webhooks/', '/api/connect/']

/** The route that metrics and traces show; `*` for files of the web client and unknown paths. */
export function routePattern(path: string): string {
  if (exact.has(path) || jsonRoutes.has(path) || pageRoutes.has(path) || iconPaths.has(path)) return path
  const prefix = prefixes.find((start) => path.startsWith(start))
  if (prefix !== undefined) return `${prefix}*`
  const provider = providerPath(path)
  if (provider) return provider.callback ? '/auth/providers/{id}/callback' : '/auth/providers/{id}'
  return '*'
}
