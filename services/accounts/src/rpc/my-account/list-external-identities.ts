import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { providerOf } from '../../actions/identities/identity.ts'
import { identitiesOf } from '../../store/external-identities.ts'
import { toIdentityProvider, toLinkedIdentity } from '../../view/external-identity.ts'

export function listExternalIdentities(
  ctx: Context,
): MethodImpl<typeof MyAccountService.method.listExternalIdentities> {
  return async (_, call) => {
    const { all } = ctx.providers
    const linked = (await identitiesOf(ctx.db, callerOf(call).userId)).map((identity) => ({
      identity,
      provider: providerOf(all, identity),
    }))
    return {
      providers: all.map((each) =>
        toIdentityProvider(each, linked.find(({ provider }) => provider === each)?.identity),
      ),
      linkedIdentities: linked.map(({ identity, provider }) => toLinkedIdentity(identity, provider)),
    }
  }
}
