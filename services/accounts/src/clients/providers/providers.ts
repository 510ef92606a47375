import type { AuthProvider } from '@parley/config'
import { discord } from './oauth/discord.ts'
import { github } from './oauth/github.ts'
import { gitlab } from './oauth/gitlab.ts'
import { google } from './oauth/google.ts'
import { oauthProvider } from './oauth/oauth.ts'
import { oidcProvider } from './oidc.ts'
import type { Provider } from '../../domain/provider.ts'

/** Ids that also refer to the only provider of type oidc, for /auth/oidc. */
const aliases = ['', 'oidc']

/** A sign-in by an alias has its own callback URL. */
export type Route = {
  readonly provider: Provider
  /** The provider's id, or empty for an alias. A callback is accepted only with the key that the sign-in began with. */
  readonly key: string
  readonly callbackUrl: string
}

export type Providers = {
  /** In the operator's order. */
  readonly all: readonly Provider[]
  find: (id: string) => Provider | undefined
  /** An alias has a route only if exactly one provider has the type oidc. */
  route: (id: string) => Route | undefined
}

export function createProviders(settings: readonly AuthProvider[], publicUrl: string, now: () => Date): Providers {
  const all = settings.map((provider) => createProvider(provider, now))
  const byId = new Map(all.map((provider) => [provider.settings.id, provider]))
  const [onlyOidc, ...others] = all.filter((provider) => provider.settings.type === 'oidc')
  const absoluteUrl = (path: string) => new URL(publicUrl.replace(/\/+$/, '') + path).href
  return {
    all,
    find: (id) => byId.get(id),
    route(id) {
      const provider = byId.get(id)
      if (provider)
        return { provider, key: id, callbackUrl: absoluteUrl(`/auth/providers/${encodeURIComponent(id)}/callback`) }
      if (!onlyOidc || others.length > 0 || !aliases.includes(id)) return undefined
      return { provider: onlyOidc, key: '', callbackUrl: absoluteUrl('/auth/oidc/callback') }
    },
  }
}

function createProvider(settings: AuthProvider, now: () => Date): Provider {
  const { type, issuerUrl } = settings
  if (type !== 'oidc') return oauthProvider(settings, { github, gitlab, google, discord }[type], now)
  if (issuerUrl === undefined) throw new TypeError(`the provider "${settings.id}" of type oidc has no issuer_url`)
  return oidcProvider({ ...settings, issuerUrl }, now)
}
