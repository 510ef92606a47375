import { UploadsInternalService } from '@parley/contracts/internal'
import type { ServiceRoutes } from '@parley/rpc'
import type { Context } from '../context.ts'
import { importServerImage } from './import-server-image.ts'
import { storeServerImage } from './store-server-image.ts'

export const routes = (ctx: Context) => (router: ServiceRoutes) => {
  router.service(UploadsInternalService, {
    storeServerImage: storeServerImage(ctx),
    importServerImage: importServerImage(ctx),
  })
}
