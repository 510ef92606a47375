import type { DatabaseHost } from '@parley/service'
import type { Context } from '../context.ts'
import { onMessageChanged } from './on-message-changed.ts'
import { onMessagePosted, onMessagesImported } from './on-message-posted.ts'
import { onProfileUpdated } from './on-profile-updated.ts'
import { onServerUpdated } from './on-server-updated.ts'

/** Starts the consumers of uploads. */
export async function startConsumers(host: DatabaseHost, { now, fileLimits }: Context): Promise<void> {
  const posted = { now, processesVideos: fileLimits.videoEnabled }
  const profiles = 'evt.user.*.user_profile_updated'
  await host.consume({ durable: 'avatars', subject: profiles, on: onProfileUpdated })
  const server = 'evt.config.server.server_updated'
  await host.consume({ durable: 'branding', subject: server, on: onServerUpdated })
  // Messages that consist only of text have another subject.
  for (const [durable, kind, on] of [
    ['posted', 'message_posted', onMessagePosted(posted)],
    ['imported', 'messages_imported', onMessagesImported(posted)],
    ['edited', 'message_edited', onMessageChanged],
    ['retracted', 'message_retracted', onMessageChanged],
  ] as const)
    await host.consume({ durable, subject: `evt.room.*.${kind}`, batches: { on } })
}
