import type { Tx } from '@parley/postgres'
import { tokenContext } from '../credentials/token-context.ts'
import type { Context } from '../../context.ts'
import { isDisplayName } from '../../domain/display-name.ts'
import { couldBeEmail } from '../../domain/email.ts'
import { loginHintFrom } from '../../domain/login-hint.ts'
import { flowNotFound, wrongFlow } from '../../domain/identity-errors.ts'
import { logProfileFailure } from '../../metrics.ts'
import type { Provider, ProviderIdentity, ProviderProfile } from '../../domain/provider.ts'
import { purposes, type PendingFlow, type PendingIdentity, type Purpose } from '../../domain/pending-identity.ts'
import { issueFlowToken, peekFlowToken, takeFlowToken, type FlowUser } from '../../store/flow-tokens.ts'

const lifetimeMs = 15 * 60_000
const maxUrlLength = 2_048

/** The user must confirm within 15 minutes. Returns the token for the confirmation. */
export async function storePendingIdentity(
  ctx: Context,
  { settings }: Provider,
  { issuer, subject, readProfile }: ProviderIdentity,
  flow: { purpose: Purpose; user?: FlowUser; redirectPath: string },
): Promise<string> {
  // Everything in a profile is optional, so the flow continues without it.
  const profile = await readProfile().catch((error: unknown) => {
    logProfileFailure(settings.id, error)
    return { verifiedEmail: '', loginHint: '', displayNameHint: '', avatarUrl: '' }
  })
  const { purpose, user, redirectPath } = flow
  const payload: PendingIdentity = {
    providerId: settings.id,
    issuer,
    subject,
    redirectPath,
    ...withoutInvalidValues(profile),
  }
  return issueFlowToken(ctx.db, tokenContext(ctx), { purpose, payload, ttlMs: lifetimeMs, ...(user && { user }) })
}

/**
 * Throws `not_found`, also if the provider is no longer configured, and `invalid_argument` if the token is for another
 * flow than `wanted`.
 */
export async function getPendingFlow(ctx: Context, token: string, wanted?: Purpose): Promise<PendingFlow> {
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

function withoutInvalidValues({
  verifiedEmail,
  loginHint,
  displayNameHint,
  avatarUrl,
}: ProviderProfile): ProviderProfile {
  const name = displayNameHint.trim()
  const isWebUrl = avatarUrl.length <= maxUrlLength && /^https?:\/\//i.test(avatarUrl) && URL.canParse(avatarUrl)
  return {
    verifiedEmail: couldBeEmail(verifiedEmail) ? verifiedEmail : '',
    loginHint: loginHintFrom(loginHint),
    displayNameHint: isDisplayName(name) ? name : '',
    avatarUrl: isWebUrl ? avatarUrl : '',
  }
}

export async function takePendingFlow(ctx: Context, tx: Tx, purpose: Purpose, token: string): Promise<void> {
  if (!(await takeFlowToken(tx, tokenContext(ctx), purpose, token))) throw flowNotFound()
}

export async function cancelPendingFlow(ctx: Context, token: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    for (const purpose of purposes) await takeFlowToken(tx, tokenContext(ctx), purpose, token)
  })
}
