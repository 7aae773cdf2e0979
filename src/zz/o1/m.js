//#region src/zz/m.ts
const x = await import("./a.json", { with: { type: "json" } });
console.log(x.default.a);

//#endregion
export {  };