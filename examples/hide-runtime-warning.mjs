/**
 * `npm start`, `npm run bench` and other programs of this repository load this file first. On Node.js 20, oidc-provider prints
 * "Unsupported runtime" when it is loaded, and no option prevents this. koa-gatehouse is tested on Node.js 20, so these
 * programs hide that one line.
 */
const { warn } = console
console.warn = (...line) => {
  if (!String(line[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...line)
}
