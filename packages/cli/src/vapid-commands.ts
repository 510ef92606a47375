import { newVapidKeys } from '@parley/config'
import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'

export function addVapidCommands(parent: Command, { print }: CommandContext): void {
  parent
    .command('generate')
    .description('generate a pair of keys for push notifications and print it; it is not stored')
    .action(() => {
      const { publicKey, privateKey } = newVapidKeys()
      const text = [`PARLEY_PUSH_VAPID_PUBLIC_KEY=${publicKey}`, `PARLEY_PUSH_VAPID_PRIVATE_KEY=${privateKey}`]
      print({ json: { publicKey, privateKey }, text: text.join('\n') })
    })
}
