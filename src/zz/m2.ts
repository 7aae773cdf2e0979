const x = await import('./n.ts');
console.log(x.default);
const f = () => import('./a.json', { with: { type: 'json' } });
console.log((await f()).default);
