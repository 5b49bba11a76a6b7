; The queries of unpad, in SMT-LIB 2. Each is answered on its own.

; query 1, z3: unsat, cvc5: unsat
; requires n ≥ 1
; requires p ≥ 0
; forward: reads and writes
; jvp: reads and writes
; vjp x_bar
; unpad after zero-pad is the identity
; unpad and zero-pad are adjoint
; each channel alone: forward
; each channel alone: JVP
; each channel alone: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 0))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (< |1| |0|)))
(check-sat)

; query 2, z3: unsat, cvc5: unsat
; requires n ≥ 1
; requires p ≥ 0
; forward: reads and writes
; jvp: reads and writes
; each channel alone: forward
; each channel alone: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 0))
(assert (<= 0 |1|))
(assert (not (<= 0 (+ |1| |0|))))
(check-sat)

; query 3, z3: unsat, cvc5: unsat
; requires n ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 0))
(assert (not (>= |1| 1)))
(assert (>= (+ |1| (* 2 |0|)) 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 1))))
(assert (not (< (+ |2| |0|) (+ |1| (* 2 |0|)))))
(check-sat)

; query 4, z3: unsat, cvc5: unsat
; requires n ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(assert (>= |0| 0))
(assert (not (>= |1| 1)))
(assert (>= (+ |1| (* 2 |0|)) 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 1))))
(assert (<= 0 |3|))
(assert (<= |3| (+ (+ |1| (* 2 |0|)) (- 1))))
(assert (= (+ |2| |0|) |3|))
(assert (not (<= 0 (+ |3| (* (- 1) |0|)))))
(check-sat)

; query 5, z3: unsat, cvc5: unsat
; requires n ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(assert (>= |0| 0))
(assert (not (>= |1| 1)))
(assert (>= (+ |1| (* 2 |0|)) 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 1))))
(assert (<= 0 |3|))
(assert (<= |3| (+ (+ |1| (* 2 |0|)) (- 1))))
(assert (= (+ |2| |0|) |3|))
(assert (not (< (+ |3| (* (- 1) |0|)) |1|)))
(check-sat)

; query 6, z3: unsat, cvc5: unsat
; requires n ≥ 1
; vjp x_bar
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= 0 |1|))
(assert (= |0| |1|))
(assert (not (= |1| |0|)))
(check-sat)

; query 7, z3: unsat, cvc5: unsat
; requires n ≥ 1
; vjp x_bar
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 0))
(assert (<= 0 |1|))
(assert (<= 0 |2|))
(assert (= (+ |1| |0|) |2|))
(assert (not (= (+ |2| (* (- 1) |0|)) |1|)))
(check-sat)

; query 8, z3: unsat, cvc5: unsat
; requires n ≥ 1
; vjp x_bar
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= 0 |1|))
(assert (<= 0 |0|))
(assert (= |1| |0|))
(assert (not (= |0| |1|)))
(check-sat)

; query 9, z3: unsat, cvc5: unsat
; requires n ≥ 1
; vjp x_bar
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 0))
(assert (<= 0 |1|))
(assert (<= 0 |2|))
(assert (<= 0 (+ |2| (* (- 1) |0|))))
(assert (= (+ |2| (* (- 1) |0|)) |1|))
(assert (not (= (+ |1| |0|) |2|)))
(check-sat)

; query 10, z3: sat
; requires n ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 0))
(assert (>= (+ |1| (* 2 |0|)) 0))
(assert (not (>= |1| 1)))
(check-sat)

; query 11, z3: sat
; requires p ≥ 0
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(assert (>= |0| 1))
(assert (not (>= |1| 0)))
(assert (>= |2| 0))
(assert (>= (+ |0| (* 2 |1|)) 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (not (<= 0 (+ |4| |1|))))
(check-sat)

; query 12, z3: unsat, cvc5: unsat
; requires p ≥ 0
; forward: reads and writes
; jvp: reads and writes
; each channel alone: forward
; each channel alone: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 0))
(assert (>= (+ |0| (* 2 |1|)) 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (not (< (+ |2| |1|) (+ |0| (* 2 |1|)))))
(check-sat)

; query 13, z3: unsat, cvc5: unsat
; vjp x_bar
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(assert (>= |0| 1))
(assert (>= |1| 0))
(assert (>= (+ |0| (* 2 |1|)) 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (<= 0 |3|))
(assert (<= |3| (+ (+ |0| (* 2 |1|)) (- 1))))
(assert (= (+ |2| |1|) |3|))
(assert (not (<= 0 (+ |3| (* (- 1) |1|)))))
(check-sat)

; query 14, z3: unsat, cvc5: unsat
; vjp x_bar
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(assert (>= |0| 1))
(assert (>= |1| 0))
(assert (>= (+ |0| (* 2 |1|)) 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (<= 0 |3|))
(assert (<= |3| (+ (+ |0| (* 2 |1|)) (- 1))))
(assert (= (+ |2| |1|) |3|))
(assert (not (< (+ |3| (* (- 1) |1|)) |0|)))
(check-sat)

; query 15, z3: unsat, cvc5: unsat
; unpad after zero-pad is the identity
; unpad and zero-pad are adjoint
; each channel alone: forward
; each channel alone: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (< |1| |0|)))
(check-sat)

; query 16, z3: unsat, cvc5: unsat
; unpad after zero-pad is the identity
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 0))
(assert (<= 0 |1|))
(assert (not (<= 0 (+ (+ |1| |0|) (* (- 1) |0|)))))
(check-sat)

; query 17, z3: unsat, cvc5: unsat
; unpad after zero-pad is the identity
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 0))
(assert (>= (+ |0| (* 2 |1|)) 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (not (< (+ (+ |2| |1|) (* (- 1) |1|)) |0|)))
(check-sat)

; query 18, z3: unsat, cvc5: unsat
; unpad after zero-pad is the identity
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 0))
(assert (<= 0 |1|))
(assert (<= 0 (+ (+ |1| |0|) (* (- 1) |0|))))
(assert (not (= (+ (+ |1| |0|) (* (- 1) |0|)) |1|)))
(check-sat)

; query 19, z3: unsat, cvc5: unsat
; unpad and zero-pad are adjoint
; each channel alone: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 0))
(assert (>= (+ |0| (* 2 |1|)) 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (* 2 |1|) (- 1))))
(assert (not (< |2| (+ |0| (* 2 |1|)))))
(check-sat)

; query 20, z3: unsat, cvc5: unsat
; unpad and zero-pad are adjoint
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 0))
(assert (>= (+ |0| (* 2 |1|)) 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (not (<= |2| (+ |0| (* 2 |1|) (- 1)))))
(check-sat)

; query 21, z3: sat
; unpad and zero-pad are adjoint
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(assert (>= |0| 1))
(assert (>= |1| 0))
(assert (>= |2| 0))
(assert (>= (+ |0| (* 2 |1|)) 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (not (<= 0 (+ |4| (* (- 1) |1|)))))
(check-sat)

; query 22, z3: sat
; unpad and zero-pad are adjoint
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(assert (>= |0| 1))
(assert (>= |1| 0))
(assert (>= |2| 0))
(assert (>= (+ |0| (* 2 |1|)) 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (not false))
(check-sat)

; query 23, z3: unsat, cvc5: unsat
; unpad and zero-pad are adjoint
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 0))
(assert (>= (+ |0| (* 2 |1|)) 0))
(assert (<= 0 (+ |2| (* (- 1) |1|))))
(assert (<= (+ |2| (* (- 1) |1|)) (+ |0| (- 1))))
(assert (not (<= 0 |2|)))
(check-sat)

; query 24, z3: unsat, cvc5: unsat
; unpad and zero-pad are adjoint
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 0))
(assert (>= (+ |0| (* 2 |1|)) 0))
(assert (<= 0 (+ |2| (* (- 1) |1|))))
(assert (<= (+ |2| (* (- 1) |1|)) (+ |0| (- 1))))
(assert (not (<= |2| (+ |0| (* 2 |1|) (- 1)))))
(check-sat)

; query 25, z3: unsat, cvc5: unsat
; unpad and zero-pad are adjoint
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 0))
(assert (>= (+ |0| (* 2 |1|)) 0))
(assert (<= 0 (+ |2| (* (- 1) |1|))))
(assert (<= (+ |2| (* (- 1) |1|)) (+ |0| (- 1))))
(assert (not (< (+ |2| (* (- 1) |1|)) |0|)))
(check-sat)

; query 26, z3: unsat, cvc5: unsat
; unpad and zero-pad are adjoint
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 0))
(assert (>= (+ |0| (* 2 |1|)) 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (* 2 |1|) (- 1))))
(assert (<= 0 (+ |2| (* (- 1) |1|))))
(assert (< (+ |2| (* (- 1) |1|)) |0|))
(assert (not (<= (+ |2| (* (- 1) |1|)) (+ |0| (- 1)))))
(check-sat)
