import type { Client } from '@connectrpc/connect'
import type {
  AccountsInternalService,
  MessagingInternalService,
  RoomsInternalService,
} from '@parley/contracts/internal'

export type ServiceClients = {
  accounts: Pick<Client<typeof AccountsInternalService>, 'getPresences' | 'getProfiles'>
  messaging: Pick<Client<typeof MessagingInternalService>, 'previewMessages'>
  rooms: Pick<Client<typeof RoomsInternalService>, 'listRecipients'>
}
