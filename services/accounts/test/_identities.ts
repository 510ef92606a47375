import { ExternalIdentityAuthService } from '@parley/contracts/auth'
import { MyAccountService } from '@parley/contracts/api'
import { callerOf, type Env } from './_env.ts'

/** The settings of providers, numbered in the order given. */
export const providerSettings = (...providers: Record<string, string>[]): Record<string, string> =>
  Object.fromEntries(
    providers.flatMap((provider, n) =>
      Object.entries(provider).map(([key, value]) => [`PARLEY_AUTH_PROVIDERS_${n}_${key.toUpperCase()}`, value]),
    ),
  )

/** Address to which the gateway sends a browser to sign in at a provider, or to link the account of `linkStart`. */
export async function startLogin(
  env: Env,
  providerId: string,
  more: { redirectPath?: string; browserHandle?: string; linkStart?: string; userId?: string } = {},
): Promise<string> {
  const { authorizeUrl } = await env.signIn.startProviderLogin({ providerId, browserHandle: 'browser', ...more })
  return authorizeUrl
}

/** Response to a callback: how it ended, and where the browser goes. */
export async function finishLogin(
  env: Env,
  providerId: string,
  callback: URL | string,
  more: { browserHandle?: string; userId?: string } = {},
) {
  const query = typeof callback === 'string' ? callback : callback.search.slice(1)
  const { outcome, redirectPath } = await env.signIn.finishProviderLogin({
    providerId,
    query,
    browserHandle: 'browser',
    ...more,
  })
  return { [outcome.case ?? 'nothing']: outcome.value, redirectPath } as {
    session?: { userId: string; login: string; token: string; cookieHandle: string; displayName: string }
    pendingToken?: string
    error?: string
    alreadyLinked?: boolean
    redirectPath: string
  }
}

/** Calls of somebody with only a flow token. */
export const flows = (env: Env) => env.as(ExternalIdentityAuthService, { userId: '' })

/** Calls of somebody who has just signed in with a password. */
export async function accountOf(env: Env, login: string) {
  const caller = await callerOf(env, login)
  return { userId: caller.userId, account: env.as(MyAccountService, caller) }
}

/** The token in the URL that a link starts at. */
export async function linkStartOf(env: Env, login: string, providerId: string, redirectPath = '/settings') {
  const { userId, account } = await accountOf(env, login)
  const { startUrl } = await account.startExternalIdentityLink({ providerId, redirectPath })
  return { userId, linkStart: new URL(startUrl).searchParams.get('link_start') ?? '', startUrl: new URL(startUrl) }
}
