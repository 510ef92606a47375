import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { asMessage, type Transport } from './mail.ts'

/** File names sort by time and contain no address. */
export function mailFolder(folder: string, from = 'parley@localhost'): Transport {
  const composer = createTransport({ streamTransport: true, buffer: true, disableFileAccess: true })
  return {
    async send(mail, serverName) {
      const { message } = await composer.sendMail(asMessage(mail, from, serverName))
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const name = `${new Date().toISOString().replace(/[-:]/g, '')}-${randomUUID().slice(0, 8)}`
      const temporary = join(folder, `.${name}.new`)
      await writeFile(temporary, message, { mode: 0o600 })
      await rename(temporary, join(folder, `${name}.eml`))
    },
    async [Symbol.asyncDispose]() {
      composer.close()
    },
  }
}
