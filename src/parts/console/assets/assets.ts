import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Context } from 'koa'
import { html } from '../../../http/html.ts'
import { createStylesheet, LOGO_TILE_RULES } from '../../../http/pages/stylesheet.ts'
import { readAsset } from '../../../http/read-asset.ts'
import type { Mount } from '../mount.ts'

const RULES =
  readAsset(new URL('./console.css', import.meta.url)) +
  LOGO_TILE_RULES.replaceAll(/^\.mark/gm, '.gatehouse .mark')

const SCRIPT = readAsset(new URL('./console.js', import.meta.url))

const CACHE_CONTROL = 'public, max-age=31536000, immutable'

/** Creates the stylesheet and the script of the console. @param accentColor `#rrggbb` */
export function createAssets(accentColor: string) {
  const files = new Map<string, { type: string; text: string; zipped: Buffer }>()

  /** Its name changes with its content, so browsers keep it. @returns its path below the console */
  function add(extension: 'css' | 'js', text: string): string {
    const hash = createHash('sha256').update(text).digest('base64url').slice(0, 10)
    const path = `/assets/console-${hash}.${extension}`
    const type = extension === 'css' ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8'
    files.set(path, { type, text, zipped: gzipSync(text) })
    return path
  }

  const stylesheetPath = add('css', createStylesheet(accentColor, '.gatehouse', RULES))
  const scriptPath = add('js', SCRIPT)

  return {
    tags: ({ path }: Pick<Mount, 'path'>): string =>
      html`<link rel="stylesheet" href="${path}${stylesheetPath}" />
        <script type="module" src="${path}${scriptPath}"></script>`.toString(),
    send(ctx: Context, path: string): boolean {
      const asset = files.get(path)
      if (!asset || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return false
      ctx.set({
        'Cache-Control': CACHE_CONTROL,
        'X-Content-Type-Options': 'nosniff',
        'Cross-Origin-Resource-Policy': 'same-origin',
      })
      ctx.type = asset.type
      ctx.vary('Accept-Encoding')
      const isZipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
      if (isZipped) ctx.set('Content-Encoding', 'gzip')
      ctx.body = isZipped ? asset.zipped : asset.text
      return true
    },
  }
}

export type Assets = ReturnType<typeof createAssets>
