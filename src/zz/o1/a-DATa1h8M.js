//#region src/zz/a.json
var a_default = { a: 1 };

//#endregion
export { a_default as default };