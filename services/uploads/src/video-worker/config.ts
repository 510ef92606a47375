import { defineConfig, port, processFields, str, uploadFields, videoFields } from '@parley/config'
import { videoWorkerFields } from '../engines/video/settings.ts'

export const readConfig = defineConfig({
  ...processFields(),
  ...uploadFields(),
  ...videoFields(),
  ...videoWorkerFields(),
  httpHost: str('PARLEY_VIDEO_WORKER_HOST', { default: '0.0.0.0', doc: 'bind address of a video worker' }),
  httpPort: port('PARLEY_VIDEO_WORKER_PORT', { doc: 'port on which a video worker listens; 0: any free port' }),
})

export type Config = ReturnType<typeof readConfig>
