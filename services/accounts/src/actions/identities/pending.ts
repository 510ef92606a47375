import type { Tx } from '@parley/postgres'
import { tokenContext } from '../credentials/token-context.ts'
import type { Context } from '../../context.ts'
import { couldBeDisplayName } from '../../domain/display-name.ts'
import { couldBeEmail } from '../../domain/email.ts'
import { loginHintFrom } from '../../domain/login-hint.ts'
import { flowNotFound, wrongFlow } from '../../domain/identity-errors.ts'
import { profileUnread } from '../../metrics.ts'
import type { Provider, ProviderIdentity, ProviderProfile } from '../../domain/provider.ts'
import { purposes, type PendingFlow, type PendingIdentity, type Purpose } from '../../domain/pending-identity.ts'
import { issueFlowToken, peekFlowToken, takeFlowToken, type FlowUser } from '../../store/flow-tokens.ts'

const lifetimeMs = 15 * 60_000
const maxUrl = 2_048

/** Stores an identity until it is confirmed; returns the token for confirming it. */
export async function issuePending(
  ctx: Context,
  { settings }: Provider,
  { issuer, subject, readProfile }: ProviderIdentity,
  flow: { purpose: Purpose; user?: FlowUser; redirectPath: string },
): Promise<string> {
  // The identity is known without the profile, which only provides hints.
  const profile = await readProfile().catch((error: unknown) => {
    profileUnread(settings.id, error)
    return { verifiedEmail: '', loginHint: '', displayNameHint: '', avatarUrl: '' }
  })
  const { purpose, user, redirectPath } = flow
  const payload: PendingIdentity = { providerId: settings.id, issuer, subject, redirectPath, ...usable(profile) }
  return issueFlowToken(ctx.db, tokenContext(ctx), { purpose, payload, ttlMs: lifetimeMs, ...(user && { user }) })
}

/** The flow behind a token. Throws `not_found`, or `invalid_argument` when another kind of flow is `wanted`. */
export async function getPending(ctx: Context, token: string, wanted?: Purpose): Promise<PendingFlow> {
  const found = await Promise.all(
    purposes.map(async (purpose) => {
      const row = await peekFlowToken(ctx.db, tokenContext(ctx), purpose, token)
      return row && { purpose, userId: row.userId, identity: row.payload as PendingIdentity }
    }),
  )
  const flow = found.find((candidate) => candidate !== undefined)
  const provider = flow && ctx.providers.find(flow.identity.providerId)
  if (!provider) throw flowNotFound()
  if (wanted !== undefined && flow.purpose !== wanted) throw wrongFlow()
  return { ...flow, provider }
}

/** The profile without values that our rules do not allow. */
function usable({ verifiedEmail, loginHint, displayNameHint, avatarUrl }: ProviderProfile): ProviderProfile {
  const name = displayNameHint.trim()
  const onTheWeb = avatarUrl.length <= maxUrl && /^https?:\/\//i.test(avatarUrl) && URL.canParse(avatarUrl)
  return {
    verifiedEmail: couldBeEmail(verifiedEmail) ? verifiedEmail : '',
    loginHint: loginHintFrom(loginHint),
    displayNameHint: couldBeDisplayName(name) ? name : '',
    avatarUrl: onTheWeb ? avatarUrl : '',
  }
}

/** Consumes a flow. Throws `not_found` if there is none, for example because another call has consumed it. */
export async function takePending(ctx: Context, tx: Tx, purpose: Purpose, token: string): Promise<void> {
  if (!(await takeFlowToken(tx, tokenContext(ctx), purpose, token))) throw flowNotFound()
}

/** Ends a flow, if there is one. */
export async function cancelPending(ctx: Context, token: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    for (const purpose of purposes) await takeFlowToken(tx, tokenContext(ctx), purpose, token)
  })
}
