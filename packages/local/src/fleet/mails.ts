import { resolve } from 'node:path'
import { serveMails } from '../mails/serve.ts'
import type { DataDir } from './data-dir.ts'
import type { CleanUp } from './clean-up.ts'
import { RememberedPorts } from './remembered-ports.ts'
import type { Secrets } from './secrets.ts'

/**
 * Serves a page with the mails in `chosenFolder`; default: `mail` in the data folder. If `chosenFolder` is false, a
 * mail server is configured, and there is neither folder nor page.
 */
export async function startMailPage(
  chosenFolder: string | false | undefined,
  dir: DataDir,
  secrets: Secrets,
  cleanUp: CleanUp,
): Promise<{ mailFolder: string | undefined; mailUrl: string | undefined }> {
  if (chosenFolder === false) return { mailFolder: undefined, mailUrl: undefined }
  const mailFolder = chosenFolder === undefined ? dir.mail : resolve(chosenFolder)
  const port = await new RememberedPorts(dir.portsFile).get('mails')
  const page = await serveMails(mailFolder, port, secrets.get('mailPage'))
  cleanUp.push(() => page.close())
  return { mailFolder, mailUrl: page.url }
}
