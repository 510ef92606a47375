import type { Client } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import { accountsUnavailable } from '../errors.ts'

const options = { timeoutMs: 3_000 }

export const checkCredential =
  (accounts: Pick<Client<typeof AccountsInternalService>, 'checkCredentials'>) =>
  async (credentialId: string): Promise<boolean> => {
    try {
      const { credentialIds } = await accounts.checkCredentials({ credentialIds: [credentialId] }, options)
      return credentialIds.includes(credentialId)
    } catch (error) {
      throw accountsUnavailable(error)
    }
  }
