import { installMissing } from '@parley/local/infrastructure'

export { hasFfmpeg } from '@parley/local/infrastructure'

/** Installs ffmpeg if possible; otherwise warns that tests with real videos are skipped. */
export async function installFfmpeg(): Promise<void> {
  await installMissing(['ffmpeg']).catch(() =>
    console.warn('ffmpeg is not installed: tests with real videos are skipped'),
  )
}
