import { ExternalIdentityAuthService } from '@parley/contracts/auth'
import { MyAccountService } from '@parley/contracts/api'
import { callerOf, type Env } from './_env.ts'

export const providerSettings = (...providers: Record<string, string>[]): Record<string, string> =>
  Object.fromEntries(
    providers.flatMap((provider, n) =>
      Object.entries(provider).map(([key, value]) => [`PARLEY_AUTH_PROVIDERS_${n}_${key.toUpperCase()}`, value]),
    ),
  )

/** With `linkStart` starts linking an identity. Returns the URL for the browser. */
export async function startLogin(
  env: Env,
  providerId: string,
  more: { redirectPath?: string; browserHandle?: string; linkStart?: string; userId?: string } = {},
): Promise<string> {
  const { authorizeUrl } = await env.signIn.startProviderLogin({ providerId, browserHandle: 'browser', ...more })
  return authorizeUrl
}

/** Returns the outcome and the path to which the browser is redirected. */
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

/** A client without a signed-in user. */
export const identityAuth = (env: Env) => env.as(ExternalIdentityAuthService, { userId: '' })

/** Signs in with the password. The returned client uses the new session. */
export async function signInToAccount(env: Env, login: string) {
  const caller = await callerOf(env, login)
  return { userId: caller.userId, account: env.as(MyAccountService, caller) }
}

/** Returns the start URL and the token in it. */
export async function startLinking(env: Env, login: string, providerId: string, redirectPath = '/settings') {
  const { userId, account } = await signInToAccount(env, login)
  const { startUrl } = await account.startExternalIdentityLink({ providerId, redirectPath })
  return { userId, linkStart: new URL(startUrl).searchParams.get('link_start') ?? '', startUrl: new URL(startUrl) }
}
