// The files of the demo model, byte for byte. Each begins at a multiple of 64 bytes, as in a mapped
// file; two symbols mark where it begins and where it ends.

        .macro  file symbol, path
        .balign 64
        .globl  \symbol\()_begin
        .hidden \symbol\()_begin
\symbol\()_begin:
        .incbin "\path"
        .globl  \symbol\()_end
        .hidden \symbol\()_end
\symbol\()_end:
        .endm

        .section .rodata
        file    cedar_demo_config, "app/demo/config.json"
        file    cedar_demo_tokenizer, "app/demo/tokenizer.json"
        file    cedar_demo_weights, "app/demo/model.safetensors"

        .section .note.GNU-stack, "", %progbits
